"""Writes the table, the JSON file and the plot of compare.py's results."""

import json
import statistics


def number(value):
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


class Results:
    """Values by figure and contestant; failures beside them."""

    def __init__(self, titles):
        self.titles = titles  # by contestant
        self.rows = []  # (figure, {contestant: [value]}, {contestant: why not})

    def add_figure(self, figure):
        self.rows.append((figure, {}, {}))
        return self.rows[-1]

    def medians(self, row):
        return {who: statistics.median(values) for who, values in row[1].items() if values}

    def cell(self, row, who):
        medians = self.medians(row)
        if who in medians:
            return number(medians[who])
        why = row[2].get(who)
        return "–" if why is None else ("timeout" if why == "timeout" else "fails")

    def ratio(self, row):
        """The ratio of the best other contestant to Weft, inverted if more is better: above 1 Weft is better."""
        medians = self.medians(row)
        weft = medians.pop("weft", None)
        if not weft or not medians:
            return "–"
        medians = {who: value for who, value in medians.items() if not row[0].spins(value)}
        if not medians:
            return "n/a: the others spin"
        if row[0].more_is_better:
            return f"{weft / max(medians.values()):.2f}"
        return f"{min(medians.values()) / weft:.2f}"

    def verdict(self, row):
        figure = row[0]
        if figure.reached is None:
            return "–"
        answer = figure.reached(self.medians(row))
        return "–" if answer is None else ("yes" if answer else "**no**")

    def table(self):
        header = ["figure", "unit", *self.titles.values(), "Weft's advantage", "target", "reached"]
        lines = [header, ["---"] * len(header)]
        for row in self.rows:
            figure = row[0]
            cells = [self.cell(row, who) for who in self.titles]
            lines.append([figure.name, figure.unit, *cells, self.ratio(row), figure.target or "–", self.verdict(row)])
        widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
        return "\n".join("| " + " | ".join(cell.ljust(w) for cell, w in zip(line, widths)) + " |" for line in lines)

    def failures(self):
        return [f"{row[0].name}, {self.titles[who]}: {why}" for row in self.rows for who, why in row[2].items()]

    def write_json(self, path, machine):
        figures = [
            {"figure": row[0].name, "unit": row[0].unit, "target": row[0].target, "reached": self.verdict(row).strip("*"),
             "medians": self.medians(row), "values": row[1], "failures": row[2]}
            for row in self.rows
        ]
        path.write_text(json.dumps({"machine": machine, "figures": figures}, indent=1, ensure_ascii=False) + "\n")

    def plot(self, path):
        """Bars relative to Weft, on a logarithmic axis; False without matplotlib."""
        try:
            import matplotlib
        except ImportError:
            return False
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        rows = [row for row in self.rows if "weft" in self.medians(row) and len(self.medians(row)) > 1][::-1]
        if not rows:
            return False
        others = [who for who in self.titles if who != "weft"]
        figure, axes = plt.subplots(figsize=(10, 1.2 + 0.55 * len(rows)), layout="constrained")
        colors = dict(zip(others, ("#d95f02", "#7570b3", "#66a61e")))
        for index, who in enumerate(others):
            places, factors = [], []
            for place, row in enumerate(rows):
                medians = self.medians(row)
                if who in medians and not row[0].spins(medians[who]):
                    factor = medians[who] / medians["weft"]
                    factors.append(1 / factor if row[0].more_is_better else factor)
                    places.append(place + 0.25 - 0.25 * index)
            bars = axes.barh(places, [f - 1 for f in factors], left=1, height=0.23, color=colors[who],
                             label=self.titles[who])
            for bar, factor in zip(bars, factors):
                axes.annotate(f"{factor:.2g}×" if factor < 100 else f"{factor:.0f}×",
                              (max(factor, 1), bar.get_y() + bar.get_height() / 2), xytext=(4, 0),
                              textcoords="offset points", va="center", fontsize=7)
        axes.set_yticks(range(len(rows)),
                        [f"{row[0].name}\n(Weft {number(self.medians(row)['weft'])} {row[0].unit})" for row in rows],
                        fontsize=8)
        axes.set_xscale("log")
        axes.margins(x=0.12, y=0.01)
        axes.axvline(1, color="black", linewidth=1)
        axes.set_xlabel("factor by which Weft is better (right of 1) or worse (left)")
        axes.set_title("Weft beside other MPIs and plain processes: medians of one run")
        axes.grid(axis="x", alpha=0.3)
        axes.legend(loc="lower right", fontsize=8)
        figure.savefig(path, dpi=110)
        return True
