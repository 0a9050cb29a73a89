"""A second program for effects of treatments that switch, from the rules of R DIDmultiplegtDYN 2.2.0, row by row and slow.

    python multiplegt_oracle.py            writes ../multiplegt_oracle.json and the data of its cases
    python multiplegt_oracle.py --check    compares with the cases of R in ../multiplegt.json

Needs numpy and pandas. `run` keeps the order of R: it prepares the rows, then forms for each direction and horizon the
changes, switchers `Dd`, controls `C`, the contributions `u` of rows, and their centred versions `uv` for the variance. Names are R's
without `_XX`: `F` first switch, `S` direction, `Tg` last period with a control, `L` number of effects, `N` weight of a cell. Where the crate
departs from R (comparison page), so does this program; POOL has R's variance with controls.
"""
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd

nan = np.nan

def run(df, y, g, t, d, effects=1, placebo=0, normalized=False, switchers='', never=False, trends=None, weight=None, controls=None, keep=False, dropmiss=False, cluster=None, same=False, same_pl=False, tl=False, less=False, cont=0):
    controls = list(controls or [])
    trends = list(trends or [])
    df = df.copy()
    df['Y'] = df[y]
    df['g'] = df[g]
    df['t'] = df[t]
    df['D'] = df[d]
    if cluster == g:
        cluster = None
    df = df[df.g.notna() & df.t.notna()]
    for c in controls:
        df = df[df[c].notna()]
    if cluster:
        df = df[df[cluster].notna()]
        df['cl'] = df[cluster]
    df = df[df.groupby('g').Y.transform('mean').notna() & df.groupby('g').D.transform('mean').notna()]
    df['w'] = 1.0 if weight is None else df[weight].fillna(0)
    if df.groupby(['g', 't']).size().max() > 1:
        df.loc[df.D.isna(), 'w'] = 0
        cols = ['D', 'Y'] + trends + controls + (['cl'] if cluster else [])

        def agg(x):
            o = {}
            for c in cols:
                m = x[c].notna()
                there = x[c][m & (x.w > 0)]
                # A mean of equal numbers is that number, which sums of products miss by a digit.
                o[c] = there.iloc[0] if there.nunique() == 1 else (x[c][m] * x.w[m]).sum() / x.w[m].sum() if len(there) else nan
            o['w'] = x.w.sum()
            return pd.Series(o)
        df = df.groupby(['g', 't']).apply(agg, include_groups=False).reset_index()
    tr = {v: i + 1 for i, v in enumerate(sorted(df.t.unique()))}
    df['t'] = df.t.map(tr)
    df = df.sort_values(['g', 't']).reset_index(drop=True)
    tm = lambda cond: df.t.where(cond)
    G = df.groupby('g')
    df['mind'] = tm(df.D.notna()).groupby(df.g).transform('min')
    df['maxd'] = tm(df.D.notna()).groupby(df.g).transform('max')
    miny = tm(df.Y.notna()).groupby(df.g).transform('min')
    df['fmd'] = tm(df.D.isna() & (df.t >= miny)).groupby(df.g).transform('min')
    df['dsq'] = df.D.where(df.t == df.mind).groupby(df.g).transform('first')
    diff = df.D - df.dsq
    if not keep:
        up = (diff > 0).groupby(df.g).cumsum().clip(upper=1)
        dn = (diff < 0).groupby(df.g).cumsum().clip(upper=1)
        df = df[~((up == 1) & (dn == 1))].copy()
    df['ev'] = ((df.D - df.dsq).abs() > 0).groupby(df.g).cummax().astype(float)
    df['F'] = df.t.where((df.ev == 1) & (df.groupby('g').ev.shift(1).fillna(1) == 0), 0).groupby(df.g).transform('max')
    df['dorig'] = df.dsq
    if cont:
        for k in range(1, cont + 1):
            df[f'dsq{k}'] = df.dsq ** k
        df['dsq'] = 0.0
    by = ['dsq'] + trends
    df = df[df.groupby(by, dropna=False).F.transform('std') > 0].copy()
    Gn = df.g.nunique()
    df = df[(1 - df.ev).groupby([df[c] for c in ['t'] + by], dropna=False).transform('max') > 0].copy()
    tmin = df.t.min()
    T = df.t.max()
    df.loc[df.F == 0, 'F'] = T + 1
    if dropmiss:
        df.loc[df.fmd.notna() & (df.fmd < df.F) & (df.t >= df.fmd), 'Y'] = nan
    df['lb'] = df.t.where((df.t < df.F) & df.D.notna()).groupby(df.g).transform('max')
    df.loc[df.t < df.mind, 'Y'] = nan
    m = (df.F < T + 1) & df.D.isna() & (df.t < df.lb) & (df.t > df.mind)
    df.loc[m, 'D'] = df.dsq
    amb = (df.F < T + 1) & (df.lb < df.F - 1)
    df.loc[amb & (df.t > df.lb), 'Y'] = nan
    df['trunc'] = nan
    df.loc[amb, 'F'] = T + 1
    df['dF'] = df.D.where(df.t == df.F).groupby(df.g).transform('mean')
    m = (df.F < T + 1) & df.D.isna() & (df.t > df.F) & (df.lb == df.F - 1)
    df.loc[m, 'D'] = df.dF
    m = (df.F == T + 1) & df.D.isna() & (df.t > df.mind) & (df.t < df.maxd)
    df.loc[m, 'D'] = df.dsq
    df.loc[(df.F == T + 1) & (df.t > df.maxd), 'Y'] = nan
    tr_never = df.maxd + 1
    df['trunc'] = np.where(df.F == T + 1, tr_never, df.trunc)
    if tl:
        df = df[df.F != 2].sort_values(['g', 't']).copy()
        prevt = df.groupby('g').t.shift(1)
        for v in ['Y'] + controls:
            dv = df[v] - df.groupby('g')[v].shift(1)
            df[v] = dv.where(prevt == df.t - 1)
        df = df[df.t != 1].copy()
        tmin = df.t.min()
    idx = pd.MultiIndex.from_product([sorted(df.g.unique()), sorted(df.t.unique())], names=['g', 't'])
    df = df.set_index(['g', 't']).reindex(idx).reset_index()
    for c in ['dsq', 'F']:
        df[c] = df.groupby('g')[c].transform('first')
    df['N'] = np.where(df.Y.isna() | df.D.isna(), 0, df.w)
    # A row that was put in has no `trunc`, and with trend groups no stratum.
    ft = df[['F', 'trunc']].min(axis=1)
    for c in trends + ['dorig', 'trunc']:
        df[c] = df.groupby('g')[c].transform('first')
    if trends:
        ft = df[['F', 'trunc']].min(axis=1)
    df['Tg'] = ft.groupby([df[c] for c in by], dropna=False).transform('max') - 1
    post = (df.t >= df.F) & (df.t <= df.Tg)
    avg = df.D.where(post).groupby(df.g).transform('mean')
    drop = (avg == df.dorig) & avg.notna() & (df.F != df.Tg + 1)
    df = df[~drop].copy()
    avg = avg[~drop]
    dor = df.groupby('g').dorig.transform('mean')
    df['S'] = np.where((df.F != T + 1) & avg.notna(), (avg > dor).astype(float), nan)
    df['S'] = df.groupby('g').S.transform('max')
    df['Dorig'] = df.D
    df['dorig'] = dor
    if cont:
        s = df.S.map({1.0: 1.0, 0.0: -1.0})
        df['D'] = np.where(s.notna(), (df.F <= df.t) * s, nan)
        lev = sorted(df.t.unique())
        for j in range(2, len(lev) + 1):
            for k in range(1, cont + 1):
                nm = f'fe{j}_{k}'
                df[nm] = (df.t >= lev[j - 1]) * df[f'dsq{k}']
                controls.append(nm)
    df['dfg'] = df.D.where(df.t == df.F).groupby(df.g).transform('mean')
    df['L'] = df.Tg - df.F + 1
    df['Lp'] = np.where(df.F >= 3, np.minimum(df.L, df.F - 2), nan)
    first = ~df.duplicated('g')
    if cluster:
        df['cl'] = df.groupby('g').cl.transform('min')
    df = df.reset_index(drop=True)
    first = ~df.duplicated('g')
    df['dy'] = df.groupby('g').Y.diff()
    lag = lambda c, l: df.groupby('g')[c].shift(l)
    Y0 = df.Y
    K = len(controls)
    theta = {}
    inv = {}
    if K:
        dX = np.column_stack([df.groupby('g')[c].diff() for c in controls])
        ok = (df.ev == 0) & df.dy.notna() & ~np.isnan(dX).any(1)
        avgX = np.full_like(dX, nan)
        key = df.groupby(['t'] + by, dropna=False).ngroup().values
        for k in np.unique(key[ok]):
            r = ok.values & (key == k)
            if df.N[r].sum() > 0:
                avgX[r] = (dX[r] * df.N[r].values[:, None]).sum(0) / df.N[r].sum()
        R = np.where(ok.values[:, None], np.sqrt(df.N.values)[:, None] * (dX - avgX), 0)
        R = np.nan_to_num(R)
        prod = R * np.sqrt(df.N.values)[:, None]
        Ehat = {}
        for l in sorted(df.dsq.unique()):
            if df.F[df.dsq == l].nunique() < 2:
                continue
            r = (ok & (df.dsq == l)).values
            M = R[r].T @ R[r]
            v = R[r].T @ (np.sqrt(df.N[r]) * df.dy[r]).values
            Mi = np.linalg.pinv(M, rcond=1.5e-08)
            theta[l] = Mi @ v
            rs = df.N[(df.t >= 2) & (df.t < df.F) & df.dy.notna()].sum()
            nc = df.N[(df.dsq == l) & (df.t >= 2) & (df.t < df.F) & df.dy.notna()].sum()
            inv[l] = Mi * Gn * rs / nc
            inv[l] = (inv[l], Mi * Gn)
            rr = ((df.dsq == l) & (df.F > df.t) & df.dy.notna()).values & ~np.isnan(dX).any(1)
            X = dX[rr]
            w = df.w[rr].values
            tt = df.t[rr].values
            yy = df.dy[rr].values
            tk = df.groupby(['t'] + trends, dropna=False).ngroup()[rr].values 
            Xd = X.copy()
            yd = yy.copy()
            ym = np.zeros(len(yy))
            Xm = np.zeros_like(X)
            for u in np.unique(tk):
                q = tk == u
                if w[q].sum() == 0:
                    continue
                Xm[q] = (X[q] * w[q][:, None]).sum(0) / w[q].sum()
                ym[q] = (yy[q] * w[q]).sum() / w[q].sum()
            Xd = X - Xm
            yd = yy - ym
            b = np.linalg.pinv((Xd * w[:, None]).T @ Xd, rcond=1.5e-08) @ ((Xd * w[:, None]).T @ yd)
            e = np.full(len(df), nan)
            e[rr] = ym + Xd @ b
            Ehat[l] = e
    Lu = max([0] + list(df.L[df.S == 1]))
    La = max([0] + list(df.L[df.S == 0]))
    if switchers == 'in':
        La = 0
    if switchers == 'out':
        Lu = 0
    Lx = int(min(max(Lu, La), effects))
    lp = [df.Lp[df.S == s].max() for s, n in ((1, Lu), (0, La)) if n > 0]
    lp = [0 if np.isnan(x) or x < 0 else x for x in lp]
    lp = [x - 1 if tl else x for x in lp]
    most = dict(zip([s for s, n in ((1, Lu), (0, La)) if n > 0], lp))
    P = int(max(0, min(max(lp + [-9]), placebo, effects))) if placebo else 0
    cellkey = ['t'] + by

    def csum(x):
        return x.groupby([df[c] for c in cellkey], dropna=False).transform('sum')

    def parts(l, pl, s, Lsame, smask, pmask):
        dyl = Y0 - Y0.groupby(df.g).shift(l)
        C = (df.F > df.t).astype(float)
        C[dyl.isna()] = nan
        if never:
            C[(df.F > df.t) & (df.F < T + 1)] = 0
        Nc = csum((C * df.N).fillna(0))
        Dd = ((df.t == df.F - 1 + l) & (l <= df.L) & (df.S == s) & (Nc > 0) & smask).astype(float)
        Dd[dyl.isna()] = nan
        dd = dyl
        xs = [df[c] - df[c].groupby(df.g).shift(l) for c in controls]
        if pl:
            dd = Y0.groupby(df.g).shift(2 * l) - Y0.groupby(df.g).shift(l)
            okp = dd.notna().astype(float)
            C = C * okp
            Nc = csum((C * df.N).fillna(0))
            Dd = Dd * okp * (Nc > 0) * pmask
            xs = [df[c].groupby(df.g).shift(2 * l) - df[c].groupby(df.g).shift(l) for c in controls]
        Ns = csum((Dd * df.N).fillna(0))
        Nl = (Dd * df.N).sum()
        cnt = Dd.sum()
        for l0, th in theta.items():
            adj = sum((a * b for a, b in zip(th, xs)))
            dd = dd.where(df.dsq != l0, dd - adj)
        if Nl == 0:
            return dict(N=0, n=0)
        win = (df.t >= l + 1) & (df.t <= df.Tg) & (l <= df.Tg - 1)
        coef = (Dd - Ns / Nc * C) * win * df.N * (Gn / Nl)
        u = coef * dd
        U = u.groupby(df.g).sum()
        used = (df.N > 0) & win & ((Dd == 1) | (C == 1) & (Ns > 0))
        dns = (df.N != 0) & dd.notna() & (C == 1) & (Ns > 0)
        ds = (df.N != 0) & (Dd == 1)
        un = dns | ds
        skey = ['dsq', 'F', 'dfg'] + trends

        def mean(mask, keyc):
            kk = [df[c] for c in keyc]
            num = (dd * df.N).where(mask, 0).groupby(kk, dropna=False).transform('sum')
            den = df.N.where(mask, 0).groupby(kk, dropna=False).transform('sum')
            if cluster:
                n = df.cl.where(mask).groupby(kk, dropna=False).transform('nunique')
            else:
                n = mask.astype(int).groupby(kk, dropna=False).transform('sum')
            return (num / den, n)
        ms, ns_ = mean(ds, skey)
        mc, nc_ = mean(dns, cellkey)
        mu, nu = mean(un, cellkey)
        if less and (not pl):
            paths = [df.groupby(['dsq', 'F'], dropna=False).ngroup()]
            last = df.dsq.copy()
            for i in range(1, l + 1):
                x = df.D.where(df.t == df.F + i - 1).groupby(df.g).transform('mean')
                last = x.where(x.notna(), last)
                paths.append(pd.DataFrame(dict(a=paths[-1], b=last)).groupby(['a', 'b'], dropna=False).ngroup())
            ng = [df.g.groupby(p).transform('nunique') for p in paths]

            def m3(p):
                kk = [p] + [df[c] for c in trends]
                return ((dd * df.N).where(ds, 0).groupby(kk, dropna=False).transform('sum') / df.N.where(ds, 0).groupby(kk, dropna=False).transform('sum'), ds.astype(int).groupby(kk, dropna=False).transform('sum'))
            f, o, z = (m3(paths[l]), m3(paths[1]), m3(paths[0]))
            ms = f[0].where(ng[l] > 1, o[0].where(ng[1] > 1, z[0]))
            ns_ = f[1].where(ng[l] > 1, o[1].where(ng[1] > 1, z[1]))
        E = pd.Series(0.0, df.index)
        Q = pd.Series(1.0, df.index)

        def use(mask, m, n):
            E[mask] = m[mask]
            Q[mask] = np.sqrt(n[mask] / (n[mask] - 1))
        use(ds & (ns_ >= 2), ms, ns_)
        use(ds & (ns_ < 2) & (nu >= 2), mu, nu)
        use(dns & (nc_ >= 2), mc, nc_)
        use(dns & (nc_ < 2) & (nu >= 2), mu, nu)
        uv = (coef * Q * (dd - E)).groupby(df.g).sum()
        if K:
            part2 = pd.Series(0.0, uv.index)
            for l0, th in theta.items():
                cw = (Dd - Ns / Nc * C) * ((df.t >= l + 1) & (df.t <= df.Tg) & (l <= df.Tg - 2)) * (Gn / Nl) * df.N * (df.dsq == l0)
                M = np.array([(cw * x).sum() / Gn for x in xs])
                den = ((df.F > df.t) & (df.dsq == l0) & df.dy.notna()).astype(int).groupby([df[c] for c in (cellkey)], dropna=False).transform('sum')
                eh = np.where(den >= 2, Ehat[l0], 0 * Ehat[l0])
                q = np.where(den >= 2, np.sqrt(den / (den - 1).clip(lower=1)), 1)
                ins = np.nan_to_num(prod * np.asarray(q * (df.dy.values - eh) * ((df.t >= 2) & (df.t <= df.F - 1)).values)[:, None])
                ins = pd.DataFrame(ins).groupby(df.g.values).sum()
                br = ins.values @ (inv[l0][0] if POOL else inv[l0][1]).T * ((df.groupby('g').dsq.first() == l0) & (df.groupby('g').F.first() >= 3)).values[:, None] - th
                part2 += br @ M
            uv = uv - part2
        sg = 1 if s == 1 else -1
        cum = sg * (df.Dorig - df.dorig).where((df.t >= df.F) & (df.t <= df.F - 1 + l)).groupby(df.g).transform('sum')
        return dict(N=Nl, n=cnt, U=U, uv=uv, cum=(df.N * cum).where(Dd == 1).sum() / Nl, cur=(df.N * sg * (df.Dorig - df.dorig)).where(Dd == 1).sum() / Nl, used=used)

    def masks(L, Pn):
        true = pd.Series(True, df.index)
        sm = df.F - 1 + L <= df.Tg
        for q in range(1, L + 1):
            dq = Y0 - Y0.groupby(df.g).shift(q)
            C = (df.F > df.t) & dq.notna()
            if never:
                C &= df.F == T + 1
            Nq = csum(C * df.N)
            at = df.t == df.F - 1 + q
            sm &= (at & (Nq > 0) & dq.notna()).groupby(df.g).transform('max')
        pm = true.copy()
        for q in range(1, Pn + 1):
            dq = Y0 - Y0.groupby(df.g).shift(-q)
            C = (df.F > df.t) & dq.notna()
            if never:
                C &= df.F == T + 1
            Nq = csum(C * df.N)
            at = df.t == df.F - 1 - q
            pm &= (at & (Nq > 0) & dq.notna()).groupby(df.g).transform('max')
        return (sm, pm)
    true = pd.Series(True, df.index)
    out = []
    cols = []
    dirs = [s for s, n in ((1, Lu), (0, La)) if n > 0]
    for pl, mx in ((False, Lx), (True, P)):
        for l in range(1, mx + 1):
            sm, pm = (true, true)
            if tl:
                sm, pm = masks(l, l if pl else 0)
            elif same:
                sm, pm = masks(Lx, P if same_pl else 0)
            ps = []
            for s in dirs:
                if pl and l > most[s]:
                    continue
                comp = [parts(k, pl, s, l, sm, pm) for k in (range(1, l + 1) if tl else [l])]
                if all((c['N'] > 0 for c in comp)):
                    c = dict(comp[-1])
                    c['U'] = sum((x['U'] for x in comp))
                    c['uv'] = sum((x['uv'] for x in comp))
                    c['s'] = 1 if s == 1 else -1
                    ps.append(c)
            N = sum((c['N'] for c in ps))
            if N == 0:
                out.append(dict(pl=pl, l=l, est=nan, se=nan))
                cols.append(None)
                continue
            U = sum((c['s'] * c['N'] / N * c['U'] for c in ps))
            uv = sum((c['s'] * c['N'] / N * c['uv'] for c in ps))
            nrm = sum((c['N'] / N * c['cum'] for c in ps)) if normalized else 1
            used = ps[0]['used'].copy()
            for c in ps[1:]:
                used |= c['used']
            out.append(dict(pl=pl, l=l, est=U.sum() / Gn / nrm, se=0, n=sum((c['n'] for c in ps)), nobs=used.sum(), used=used, ps=ps))
            cols.append(uv / nrm)
    gcl = df.groupby('g').cl.first() if cluster else None

    def se(u):
        x = u if gcl is None else u.groupby(gcl).sum()
        return np.sqrt((x ** 2).sum()) / Gn
    for o, c in zip(out, cols):
        if c is not None:
            o['se'] = se(c)
    ate = None
    if not tl:
        den = sum((c['N'] * c['cur'] for o in out if not o['pl'] and 'ps' in o for c in o['ps']))
        U = sum((c['s'] * c['N'] * c['U'] for o in out if not o['pl'] and 'ps' in o for c in o['ps'])) / den
        uv = sum((c['s'] * c['N'] * c['uv'] for o in out if not o['pl'] and 'ps' in o for c in o['ps'])) / den
        ate = (U.sum() / Gn, se(uv))
    return (out, ate, df)

POOL = False

OPTIONS = [
    {}, {"normalized": True}, {"weightsname": "w"}, {"cluster": "cl"}, {"switchers": "in"}, {"switchers": "out"},
    {"only_never_switchers": True}, {"same_switchers": True}, {"same_switchers": True, "same_switchers_pl": True},
    {"trends_nonparam": ["reg"]}, {"trends_lin": True}, {"less_conservative_se": True},
    {"less_conservative_se": True, "cluster": "cl"}, {"dont_drop_larger_lower": True},
    {"drop_if_d_miss_before_first_switch": True}, {"xformla": "~ x"},
    {"xformla": "~ x + z", "weightsname": "w", "cluster": "cl"}, {"xformla": "~ x", "trends_nonparam": ["reg"]},
    {"continuous": 1}, {"continuous": 2, "xformla": "~ x", "normalized": True},
    {"trends_lin": True, "xformla": "~ x", "weightsname": "w"}, {"trends_lin": True, "cluster": "cl", "normalized": True},
    {"continuous": 1, "trends_lin": True},
    {"less_conservative_se": True, "trends_nonparam": ["reg"], "dont_drop_larger_lower": True},
]
FOLDER = Path(__file__).resolve().parent.parent


def simulate(seed, groups=120, periods=8, shared=False):
    """Groups that switch up, down, twice or never, with missing rows, treatments and outcomes; `shared`: several rows a cell."""
    r = np.random.default_rng(seed)
    rows = []
    for g in range(groups):
        start = float(r.integers(0, 3))
        first = int(r.integers(2, periods + 4))
        if r.random() < 0.25:
            first = 99
        step = float(r.choice([1, 2, -1, -0.5]))
        second = first + int(r.integers(1, 4)) if r.random() < 0.5 else 99
        again = float(r.choice([step, -step, 2 * step, -2 * step]))
        reg, cl, weight, level, x = int(r.integers(1, 3)), g // 4, r.uniform(0.5, 2), r.normal(), 0.0
        for t in range(1, periods + 1):
            x += r.normal()
            z = r.normal()
            d = start if t < first else start + step
            if t >= second:
                d = start + step + again
            y = level + 0.2 * t + 0.3 * start * t + 0.8 * d + 0.5 * x - 0.2 * z + r.normal()
            for _ in range(2 if shared and r.random() < 0.3 else 1):
                if r.random() < 0.06:
                    continue
                rows.append(dict(
                    id=g + 1, t=2000 + t, d=nan if r.random() < 0.07 else d,
                    y=nan if r.random() < 0.06 else round(y + r.normal() * 0.1, 6), x=round(x, 6), z=round(z, 6),
                    w=0.0 if r.random() < 0.02 else round(weight, 4), cl=cl, reg=reg))
    return pd.DataFrame(rows)


def fit(data, o):
    """A fit by options in the words of ModernDiD and R."""
    controls = [c.strip() for c in o["xformla"][2:].split("+")] if "xformla" in o else None
    get = lambda *names: any(o.get(name, False) for name in names)
    rows, average, _ = run(
        data, o["yname"], o["idname"], o["tname"], o["dname"], o.get("effects", 1), o.get("placebo", 0), get("normalized"),
        o.get("switchers", ""), get("only_never_switchers"), o.get("trends_nonparam"), o.get("weightsname"), controls,
        keep=get("dont_drop_larger_lower", "keep_bidirectional_switchers"),
        dropmiss=get("drop_if_d_miss_before_first_switch", "drop_missing_preswitch"), cluster=o.get("cluster"),
        same=get("same_switchers"), same_pl=get("same_switchers_pl"), tl=get("trends_lin"), less=get("less_conservative_se"),
        cont=o.get("continuous", 0))
    number = lambda v: float(f"{v:.13g}")
    block = lambda placebo: [
        [number(x["est"]), number(x["se"]), int(x["nobs"]), int(x["n"])] for x in rows if x["pl"] == placebo]
    found = dict(effects=block(False), placebos=block(True))
    if average is not None:
        found["average"] = [number(average[0]), number(average[1])]
    return found


def check():
    """Largest relative difference from the cases of R."""
    worst = 0.0
    for case in json.loads((FOLDER / "multiplegt.json").read_text())["cases"]:
        found = fit(pd.read_csv(FOLDER / f"multiplegt_{case['data']}"), case["options"])
        for kind in ("effects", "placebos"):
            for a, b in zip(found[kind], case[kind], strict=True):
                worst = max([worst] + [abs(x - y) / max(abs(x), abs(y)) for x, y in zip(a, b)])
    print(f"largest relative difference {worst:.1e}")


def write():
    cases = []
    for seed in range(3):
        shared = seed == 2
        name = f"oracle_{seed}.csv"
        path = FOLDER / f"multiplegt_{name}"
        simulate(seed, shared=shared).to_csv(path, index=False)
        data = pd.read_csv(path)
        for extra in OPTIONS:
            # Weighted means of cluster numbers, which R takes of shared cells, are not whole.
            if shared and "cluster" in extra and "weightsname" in extra:
                continue
            options = dict(extra, yname="y", tname="t", idname="id", dname="d", effects=3, placebo=2)
            cases.append(dict(id=f"messy{seed} {extra}", data=name, options=options, **fit(data, options)))
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    (FOLDER / "multiplegt_oracle.json").write_text('{"cases":[\n' + lines + "\n]}\n")


if __name__ == "__main__":
    POOL = "--check" in sys.argv
    check() if POOL else write()
