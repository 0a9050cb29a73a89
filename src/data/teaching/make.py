"""Writes the parquet files here. Run from the root of the repository: python3 src/data/teaching/make.py CAUSALDATA_DIR
Needs pandas and pyarrow; CAUSALDATA_DIR is the folder `causaldata` of the Python package causaldata 0.1.5."""

import os
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

OUT = "src/data/teaching/"


def write(frame, name):
    """Each column in the encoding that takes the least space."""
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    encodings, dictionaries = {}, []
    for column in frame:
        kind = str(frame[column].dtype)
        known = ["dict", "PLAIN"]
        known += ["DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"] if kind.startswith("int") else []
        known += ["BYTE_STREAM_SPLIT"] if kind.startswith("float") else []
        sizes = {}
        for encoding in known:
            options = {"use_dictionary": [column]} if encoding == "dict" else {
                "use_dictionary": False, "column_encoding": {column: encoding}}
            sink = pa.BufferOutputStream()
            pq.write_table(table.select([column]), sink, compression="zstd", compression_level=22, **options)
            sizes[encoding] = sink.tell()
        best = min(sizes, key=sizes.get)
        if best == "dict":
            dictionaries.append(column)
        else:
            encodings[column] = best
    pq.write_table(table, OUT + name, compression="zstd", compression_level=22, use_dictionary=dictionaries or False,
                   column_encoding=encodings, store_schema=False)
    print(name, os.path.getsize(OUT + name), frame.shape)


def medicaid():
    rates = pq.read_table("tests/studies/jel/counties.parquet").to_pandas()
    adults = rates.population_20_64
    out = rates[["county_code", "st", "year", "treat_year", "set_wt", "population_20_64"]].copy()
    for column in ["year", "treat_year", "set_wt", "population_20_64"]:
        out[column] = out[column].astype("int32")
    out["deaths"] = (rates.crude_rate_20_64 * adults / 1e5).round().astype("int32")
    for part in ["female", "white", "hispanic"]:
        out[part] = (rates["perc_" + part] * adults / 100).round().astype("int32")
    ratios = [Fraction(float(x) / 100).limit_denominator(6_000_000) for x in rates.unemp_rate]
    out["unemployed"] = np.array([x.numerator for x in ratios], dtype="int32")
    out["labour_force"] = np.array([x.denominator for x in ratios], dtype="int32")
    out["poverty"] = (rates.poverty_rate * 10).round().astype("int32")
    out["income"] = (rates.median_income * 1000).round().astype("int32")
    write(out, "medicaid.parquet")


def castle(source):
    data = pd.read_stata(source + "/castle/castle.dta")
    first = data[data.post == 1].groupby("sid").year.min() - 1
    data["treat_year"] = data.sid.map(first).fillna(0)
    whole = ["year", "sid", "treat_year", "post"]
    rates = ["homicide", "robbery", "assault", "burglary", "larceny", "motor", "murder"]
    counts = ["jhcitizen_c", "jhpolice_c"]
    more = ["robbery_gun_r", "unemployrt", "poverty", "blackm_15_24", "whitem_15_24", "blackm_25_44", "whitem_25_44", "l_homicide",
            "l_larceny", "l_motor", "l_police", "l_income", "l_prisoner", "l_lagprisoner", "l_exp_subsidy", "l_exp_pubwelfare", "popwt"]
    out = data[whole + rates + counts + more].copy()
    for column in whole + counts:
        out[column] = out[column].astype("int32")
    write(out, "castle.parquet")


def nsw(source):
    people = []
    for sample in ["nsw", "cps"]:
        part = pd.read_stata(f"{source}/{sample}_mixtape/{sample}_mixtape.dta")
        people.append(part.assign(sample=sample))
    people = pd.concat(people, ignore_index=True)
    people["id"] = np.arange(1, len(people) + 1)
    kept = ["id", "sample", "treat", "age", "educ", "black", "hisp", "marr", "nodegree", "re74"]
    rows = []
    for year, earnings in [(1975, "re75"), (1978, "re78")]:
        part = people[kept].copy()
        part.insert(1, "year", year)
        part["re"] = people[earnings]
        rows.append(part)
    out = pd.concat(rows).sort_values(["id", "year"]).reset_index(drop=True)
    for column in ["id", "year", "treat", "age", "educ", "black", "hisp", "marr", "nodegree"]:
        out[column] = out[column].astype("int32")
    write(out, "nsw.parquet")


def favara_imbs():
    out = pd.read_csv("tests/golden/multiplegt_favara_imbs.csv")
    for column in ["year", "county", "state_n", "inter_bra"]:
        out[column] = out[column].astype("Int32")
    write(out, "favara_imbs.parquet")


if __name__ == "__main__":
    medicaid()
    castle(sys.argv[1])
    nsw(sys.argv[1])
    favara_imbs()
