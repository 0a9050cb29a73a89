//! Mutations of saved results as JSON.

use serde_json::{Map, Value, json};

use super::dice::Dice;

/// Changes one place of the document.
pub fn mutate(document: &mut Value, dice: &mut Dice) {
    let depth = dice.between(1, 6);
    let mut place = document;
    for _ in 0..depth {
        let inner = match &*place {
            Value::Array(items) => items.len(),
            Value::Object(fields) => fields.len(),
            _ => 0,
        };
        // Now and then a container itself is changed.
        if inner == 0 || dice.chance(0.15) {
            break;
        }
        let chosen = dice.below(inner);
        place = match place {
            Value::Array(items) => &mut items[chosen],
            Value::Object(fields) => fields.values_mut().nth(chosen).unwrap(),
            other => other,
        };
    }
    match place {
        Value::Array(items) if dice.chance(0.8) => array(items, dice),
        Value::Object(fields) if dice.chance(0.8) => object(fields, dice),
        other => *other = value(dice),
    }
}

fn array(items: &mut Vec<Value>, dice: &mut Dice) {
    let at = dice.below(items.len().max(1));
    match dice.below(6) {
        0 if !items.is_empty() => _ = items.remove(at),
        1 => items.insert(at.min(items.len()), value(dice)),
        2 if !items.is_empty() => items.push(items[at].clone()),
        3 => items.truncate(at),
        4 => items.reverse(),
        _ => items.extend(items.clone()),
    }
}

fn object(fields: &mut Map<String, Value>, dice: &mut Dice) {
    let Some(key) = fields.keys().nth(dice.below(fields.len())).cloned() else { return };
    match dice.below(4) {
        0 => _ = fields.remove(&key),
        1 => {
            let old = fields.remove(&key).unwrap_or_default();
            let name = format!("{key}_");
            fields.insert(dice.pick(&["group", "se", "kind", &name]).to_owned(), old);
        }
        2 => _ = fields.insert("unknown".into(), value(dice)),
        _ => _ = fields.insert(key, value(dice)),
    }
}

/// Anything but what is expected.
fn value(dice: &mut Dice) -> Value {
    match dice.below(20) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(0),
        3 => json!(-1),
        4 => json!(1),
        5 => json!(1e308),
        6 => json!(-1e308),
        7 => json!(1e-320),
        8 => json!(u64::MAX),
        9 => json!(i64::MIN),
        10 => json!(0.5),
        11 => json!(-0.0),
        12 => json!(1e12),
        13 => json!([]),
        14 => json!({}),
        15 => json!([1.0, null, "x"]),
        16 => json!(""),
        17 => json!("\u{1b}[31mred\u{7}\u{0}<&\u{ffff}"),
        18 => json!("long ".repeat(2_000)),
        _ => json!("NaN"),
    }
}
