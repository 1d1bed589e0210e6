"""The cases of Keller Tesser 2016 at half their resolution, and a function that records them."""
import pathlib
import re
import subprocess
from dataclasses import dataclass

# Ranks of a recording, as blocks from west to east and from south to north: for each ratio on 16 cores.
GRIDS = {2: (8, 4), 3: (8, 6), 4: (8, 8), 8: (16, 8), 16: (16, 16)}
CORES = 16


@dataclass(frozen=True)
class Case:
    """`changes`: values that differ from the parameter file, by key. Absorbing layers are as thick as in the paper."""

    name: str
    folder: str
    parameters: str
    changes: dict
    steps: int
    options: tuple = ()

    def write(self, data, folder):
        """Makes a folder with the case's files and changed parameters. Returns the parameter file."""
        folder.mkdir(parents=True, exist_ok=True)
        source = data / self.folder
        text = (source / self.parameters).read_text(errors="replace")
        for key, value in self.changes.items():
            text, found = re.subn(rf"(<{key}>\s*|^{key}\s*=\s*)[-+.\d]+", rf"\g<1>{value}", text, count=1, flags=re.M)
            if not found:
                raise SystemExit(f"{source / self.parameters}: there is no {key}")
        for file in source.iterdir():
            link = folder / file.name
            if file.name != self.parameters and not link.exists():
                link.symlink_to(file.resolve())
        (folder / self.parameters).unlink(missing_ok=True)
        (folder / self.parameters).write_text(text)
        return folder / self.parameters


# The paper's grids have 300 x 300 x 150 cells around the source, and 500 x 350 x 130, of 200 m; here cells have 400 m. The
# time step is the paper's, so that waves cross as much of the domain in each step.
CASES = [
    Case("chuetsu-oki", "chuetsu3d", "chuetsu3d.prm",
         {"XMIN": -75, "XMAX": 74, "YMIN": -75, "YMAX": 74, "ZMIN": -74, "DS": "400."}, 500, ("--layers",)),
    Case("ligurian", "ligurian", "ligurian.prm",
         {"ds": "400.", "xMax": 250, "yMax": 175, "zMax": 65, "i0": 198, "j0": 108}, 300),
]


def record(build, data, folder, case, ratio, denormals):
    """Records a run of the case in `folder`, with as many ranks as 16 cores have at that ratio. A run that was interrupted
    is repeated."""
    name = f"{case.name}-{ratio}{'-denormals' if denormals else ''}"
    recording = folder / f"{name}.rec"
    if (recording / "manifest.json").exists():
        return recording
    if recording.exists():
        subprocess.run(["rm", "-r", str(recording)], check=True)
    parameters = case.write(data, folder / case.name)
    x, y = GRIDS[ratio]
    command = [build / "bin" / "weftrun", "-n", x * y, "--workers", 2, "--record", recording,
               build / "bin" / "ondes3d", parameters, "--out", folder / f"{name}.out", "--steps", case.steps,
               "--cpml", 5, "--px", x, "--py", y, "--pz", 1, "--migrate-every", 1, "--no-pictures", *case.options]
    command += ["--keep-denormals"] if denormals else []
    with open(folder / f"{name}.log", "w") as log:
        ran = subprocess.run([str(part) for part in command], stdout=log, stderr=subprocess.STDOUT)
    if ran.returncode != 0:
        raise SystemExit(f"recording {name} ended with {ran.returncode}: see {log.name}")
    return recording
