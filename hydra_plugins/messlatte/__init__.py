"""Hydra takes sweepers from this namespace only; imported at every start, so nothing heavy here."""

from typing import Any

from hydra.core.plugins import Plugins
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig


class OptunaSweeper(Sweeper):
    """`hydra/sweeper=optuna`: Optuna chooses the points, Hydra's launcher runs them."""

    def __init__(self, params: dict[str, str], **settings: Any) -> None:
        self._params, self._settings = params, settings

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        self.hydra_context, self.config = hydra_context, config
        self.launcher = Plugins.instance().instantiate_launcher(
            hydra_context=hydra_context, task_function=task_function, config=config
        )

    def sweep(self, arguments: list[str]) -> None:
        from pipelines.search.settings import Settings
        from pipelines.search.space import space
        from pipelines.search.study import search

        axes = [f"{key}={value}" for key, value in self._params.items()]
        search(space([*axes, *arguments]), Settings(**self._settings), self._launch)

    def _launch(self, batch: list[list[str]], first: int) -> list[Any]:
        """What the task returned for each list of overrides; `first`: number of the first job."""
        assert self.launcher is not None
        return [job.return_value for job in self.launcher.launch(batch, initial_job_idx=first)]
