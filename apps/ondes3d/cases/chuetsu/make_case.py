#!/usr/bin/env python3
"""Writes the Chuetsu-Oki-like case beside this file: chuetsu.prm, .map, .hist, station.map.

Rock and mechanism are those of the region's published model (five layers; strike 187, dip 54, rake 70). The extended
source, the grid and the stations are made up here: a fault of 16 x 10 km that breaks from its lower edge at 2.6 km/s.
"""
import math
import pathlib

HERE = pathlib.Path(__file__).parent
STRIKE, DIP, RAKE = 187.0, 54.0, 70.0
MOMENT = 8.0e18  # N m, Mw 6.5
LENGTH, WIDTH, CENTRE = 16e3, 10e3, (-9e3, 3e3, -9e3)  # m
ALONG, DOWN = 8, 5  # sub-sources
RUPTURE, RISE, INTERVAL = 2600.0, 1.8, 0.05  # m/s, s, s
LAYERS = [(0, 2560, 5080, 2670), (-3, 2650, 5750, 3030), (-5, 2800, 6000, 3160), (-7, 2800, 6250, 3300),
          (-15, 2800, 6500, 3420)]  # roof (km), rho, vp, vs
STATIONS = [("Lighthouse", -20, -3, 0), ("Harbour", 1, 0, 0), ("Ricefield", 8, 6, 0), ("Temple", 14, -4, 0),
            ("Bridge", 6, -18, 0), ("Orchard", 20, 11, 0), ("Quarry", 26, -2, 0), ("Hotspring", 24, -22, 0),
            ("Dam", 33, 8, 0), ("Pass", 36, 27, 0), ("Pinewood", 37, -30, 0), ("Borehole", 14, -4, -2)]  # km


def fault_point(along, down):
    """Position (m) at `along` the strike and `down` the dip from the centre."""
    f, d = math.radians(STRIKE), math.radians(DIP)
    return (CENTRE[0] + along * math.sin(f) + down * math.cos(d) * math.cos(f),
            CENTRE[1] + along * math.cos(f) - down * math.cos(d) * math.sin(f),
            CENTRE[2] - down * math.sin(d))


def sub_sources():
    """(position, delay in s, share of the moment); slip fades towards the edges."""
    cells = []
    for n in range(ALONG):
        for m in range(DOWN):
            u, v = (n + 0.5) / ALONG, (m + 0.5) / DOWN
            place = fault_point((u - 0.5) * LENGTH, (v - 0.5) * WIDTH)
            start = fault_point(0, 0.4 * WIDTH)
            cells.append((place, math.dist(place, start) / RUPTURE, math.sin(math.pi * u) * math.sin(math.pi * v)))
    total = sum(share for _, _, share in cells)
    return [(place, delay, share / total) for place, delay, share in cells]


def rate(t):
    """Moment rate of a unit source: a raised cosine of RISE seconds."""
    return (1 - math.cos(2 * math.pi * t / RISE)) / RISE if 0 < t < RISE else 0.0


def main():
    cells = sub_sources()
    samples = math.ceil((max(delay for _, delay, _ in cells) + RISE) / INTERVAL) + 2
    rows = [f"{len(cells)}", "%.1f %.1f %.1f" % fault_point(0, 0.4 * WIDTH)]
    rows += ["%d %.1f %.1f %.1f" % (n, *place) for n, (place, _, _) in enumerate(cells, 1)]
    (HERE / "chuetsu.map").write_text("\n".join(rows) + "\n")

    rows = [f"M0 = {MOMENT:.4e}", f"Mw = {2 / 3 * (math.log10(MOMENT) - 9.1):.2f}", f"1.0 {INTERVAL}", f"{samples}"]
    for n, (_, delay, share) in enumerate(cells, 1):
        rows.append(f"{n} {STRIKE} {DIP} {RAKE}")
        values = ["%.4g" % (MOMENT * share * rate(s * INTERVAL - delay)) for s in range(samples)]
        rows += [" ".join(values[s:s + 20]) for s in range(0, samples, 20)]
    (HERE / "chuetsu.hist").write_text("\n".join(rows) + "\n")

    rows = [f"{len(STATIONS)}"]
    rows += ["%d %.1f %.1f %.1f %s" % (n, 1e3 * x, 1e3 * y, 1e3 * z, name)
             for n, (name, x, y, z) in enumerate(STATIONS, 1)]
    (HERE / "station.map").write_text("\n".join(rows) + "\n")

    layers = "\n".join(f"<layer{n}>\n  <depth> {roof} </depth> roof, km\n  <rho> {rho} </rho> kg/m3\n  <vp> {vp} </vp> m/s\n"
                       f"  <vs> {vs} </vs> m/s\n</layer{n}>" for n, (roof, rho, vp, vs) in enumerate(LAYERS, 1))
    (HERE / "chuetsu.prm").write_text(f"""A reverse-faulting earthquake off a coast like that of Chuetsu, Mw 6.5. Text around the fields is free.
:::::::::::: grid: 88 x 88 x 32 km ::::::::::::
<dt> 0.028 </dt>    time step, s
<ds> 400. </ds>     size of a cell, m
<tmax> 1000 </tmax> time steps
<xMin> -110 </xMin> <xMax> 110 </xMax> cells; x is East
<yMin> -110 </yMin> <yMax> 110 </yMax> y is North
<zMin> -79 </zMin>  <zMax> 0 </zMax>   z is up, zMax the free surface
<fd0> 0.6 </fd0>    frequency of the CPML, Hz
:::::::::::: results ::::::::::::
<dir> chuetsu-out </dir>
<fstatMap> station.map </fstatMap>
:::::::::::: source ::::::::::::
<fsrcMap> chuetsu.map </fsrcMap>
<fsrcHist> chuetsu.hist </fsrcHist>
:::::::::::: rock ::::::::::::
<nlayer> {len(LAYERS)} </nlayer>
{layers}
""")


if __name__ == "__main__":
    main()
