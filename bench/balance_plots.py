"""Pictures of balance.py's experiments. Without matplotlib there are none."""

import statistics

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    plt = None

# Colours that people with colour blindness can distinguish (Okabe and Ito 2008).
COLOURS = {"alone": "#999999", "none": "#d55e00", "greedy": "#56b4e9", "refine": "#0072b2", "background": "#009e73",
           "auto": "#cc79a7", "continuous": "#e69f00", "weft": "#0072b2", "mpich": "#d55e00", "openmpi": "#e69f00"}


def bars(results, stem, title):
    """Seconds of "variant, group": a cluster of bars for each group, dots for the rounds."""
    groups = {}
    for name, outcomes in results.items():
        variant, _, group = name.partition(", ")
        groups.setdefault(group, {})[variant] = [outcome.seconds for outcome in outcomes]
    figure, axes = plt.subplots(1, len(groups), figsize=(1.5 + 3.6 * len(groups), 4), layout="constrained", squeeze=False)
    for axis, (group, variants) in zip(axes[0], groups.items()):
        for place, (variant, values) in enumerate(variants.items()):
            axis.bar(place, statistics.median(values), color=COLOURS.get(variant, "#555555"), width=0.75)
            axis.plot([place] * len(values), values, "k.", markersize=3)
            axis.annotate(f"{statistics.median(values):.2f}", (place, statistics.median(values) / 2), ha="center",
                          color="white", fontsize=8)
        axis.set_xticks(range(len(variants)), variants, rotation=35, ha="right", fontsize=8)
        axis.set_title(group, fontsize=10)
    axes[0][0].set_ylabel("seconds")
    figure.suptitle(title, fontsize=11)
    figure.savefig(f"{stem}.png", dpi=110)


def heat_maps(results, stem):
    """Load of each worker in each LB interval over the mean, as Fig. 6 of Keller Tesser et al.; the last round."""
    columns = 3
    lines = -(-len(results) // columns)
    figure, axes = plt.subplots(lines, columns, figsize=(11, 1.9 * lines + 0.6), layout="constrained", squeeze=False)
    for axis in axes.flat[len(results):]:
        axis.set_visible(False)
    for axis, (name, outcomes) in zip(axes.flat, results.items()):
        steps = outcomes[-1].report["data"]
        loads = [[load / max(statistics.mean(step["load"]), 1e-9) for load in step["load"]] for step in steps]
        image = axis.imshow(list(zip(*loads)), aspect="auto", cmap="coolwarm", vmin=0.5, vmax=1.5, interpolation="nearest")
        axis.set_title(name, fontsize=9)
        axis.set_xlabel("step", fontsize=8)
        axis.set_ylabel("worker", fontsize=8)
    figure.colorbar(image, ax=axes, shrink=0.6, label="processor time in the window, of the mean")
    figure.savefig(f"{stem}.png", dpi=110)


def timelines(results, stem):
    """What each core did in each LB interval, as Fig. 3 of Gupta and Sarood, and where the hog was; the last round."""
    figure, axes = plt.subplots(2, len(results), figsize=(5.6 * len(results), 5), layout="constrained", squeeze=False,
                                sharex="col", sharey=True)
    for column, (name, outcomes) in enumerate(results.items()):
        outcome = outcomes[-1]
        steps = outcome.report["data"]
        visits = [(at - outcome.began, core) for at, core in outcome.hog["visits"]]
        cores = sorted({core for _, core in visits})
        ends = [at for at, _ in visits[1:]] + [steps[-1]["at"]]
        for worker, core in enumerate(cores):
            axis = axes[worker][column]
            left = [step["at"] - step["window"] for step in steps]
            width = [step["window"] for step in steps]
            load = [step["load"][worker] / step["window"] for step in steps]
            others = [min(step["background"][worker] / step["window"], 1) for step in steps]
            axis.bar(left, load, width, align="edge", color="#0072b2", edgecolor="white", linewidth=0.3, label="ranks")
            axis.bar(left, others, width, bottom=load, align="edge", color="#e69f00", edgecolor="white", linewidth=0.3,
                     label="others")
            for (came, where), end in zip(visits, ends):
                if where == core and came < end:
                    axis.axvspan(max(came, 0), end, color="black", alpha=0.08, linewidth=0)
            axis.set_ylim(0, 1.1)
            axis.set_title(f"{name}: core {core} (grey: the hog is here)", fontsize=9)
        axes[-1][column].set_xlabel("s")
    axes[0][0].set_ylabel("share of the window")
    axes[0][0].legend(fontsize=8, loc="lower left")
    figure.savefig(f"{stem}.png", dpi=110)
