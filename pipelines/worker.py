"""One point in a worker process, perhaps on another machine: it leaves exactly one run, whatever happens."""

import os
import socket
from contextlib import suppress
from pathlib import Path

from omegaconf import DictConfig

import pipelines.config  # noqa: F401  # its resolvers are wanted before Hydra hands the point over

DIED = "its worker died before it was done (killed, out of memory, machine lost); the same command tries again"


def work(cfg: DictConfig) -> None:
    """The point of this job, unless an earlier job of the sweep is the same point or it was begun here before.

    Ray hands the job of a worker that died to another one. The dead worker's run is then closed, not repeated: a point
    that kills its worker would kill them all.
    """
    from hydra.core.hydra_config import HydraConfig

    from pipelines import names
    from pipelines.point import run_point
    from pipelines.tracking import JOB, WORKER, PointError, tracking

    hydra = HydraConfig.get()
    if hydra.job.num in cfg.tracking.repeats:
        return
    if Path(hydra.runtime.cwd).is_dir():  # relative paths mean what they mean to the person
        os.chdir(hydra.runtime.cwd)
    store = tracking(cfg)
    if begun := store.job(cfg.tracking.parent, hydra.job.num):
        if begun.status == "RUNNING":
            store.fail(begun, DIED)
        return
    tags = {JOB: str(hydra.job.num), WORKER: f"{socket.gethostname()}:{os.getpid()}"}
    with suppress(PointError):  # it is in the run
        try:
            run_point(cfg, tags)
        except PointError:
            raise
        except Exception as error:  # before the run was opened, as where this machine lacks the documents
            with store.point(names.point(cfg), cfg.tracking.parent, tags):
                raise error from None
