"""Versions of the registered model: speaks to MLflow, as `tracking` does for runs."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rag.errors import InputError

CHAMPION, PREVIOUS = "champion", "previous"
REPLACED = "replaced"  # tag: the version that was the champion before
STATUS = "validation_status"


@dataclass(frozen=True, slots=True)
class Version:
    number: int
    run: str
    tags: dict[str, str]


@dataclass(frozen=True, slots=True)
class Packed:
    """What a model is made of: the file that holds its class, packages, artefacts by name, requirements, an example.

    `settings`: what may be set when it is loaded. MLflow logs them to the run as params.
    """

    code: Path
    packages: Sequence[Path]
    artifacts: Mapping[str, Path]
    requirements: Sequence[str]
    asked: Sequence[Mapping[str, Any]]
    settings: Mapping[str, str]


class Registry:
    """The registered model `name` in the store that tracking was opened with."""

    def __init__(self, name: str) -> None:
        import mlflow

        self._mlflow, self.name = mlflow, name
        self._client = mlflow.MlflowClient()

    def champion(self) -> Version | None:
        return self._at(CHAMPION)

    def previous(self) -> Version | None:
        return self._at(PREVIOUS)

    def versions(self) -> list[Version]:
        """All versions, the latest first."""
        found: list[Version] = []
        token = None
        while True:
            page = self._client.search_model_versions(f"name = '{self.name}'", page_token=token)
            found += [_version(own) for own in page]
            token = page.token
            if not token:
                return sorted(found, key=lambda own: -own.number)

    def register(self, run: str, packed: Packed, tags: Mapping[str, str]) -> Version:
        """Log a model to a finished run, which stays as it is, and make it a new version."""
        from mlflow.models import Model

        with self._speaking():
            if self.name not in (own.name for own in self._client.search_registered_models(f"name = '{self.name}'")):
                self._client.create_registered_model(self.name)
            logged = Model.log(
                artifact_path=None,
                flavor=self._mlflow.pyfunc,
                name="model",
                run_id=run,
                python_model=str(packed.code),
                code_paths=[str(folder) for folder in packed.packages],
                artifacts={name: str(path) for name, path in packed.artifacts.items()},
                pip_requirements=list(packed.requirements),
                model_config=dict(packed.settings),
                input_example=list(packed.asked),
            )
            made = self._client.create_model_version(
                self.name, logged.model_uri, run, tags=dict(tags), model_id=logged.model_id
            )
        return _version(made)

    def crown(self, version: Version) -> None:
        """Make a version the champion; the one that it replaces becomes `previous`."""
        before = self.champion()
        if before:
            self._tag(version, REPLACED, str(before.number))
            self._client.set_registered_model_alias(self.name, PREVIOUS, str(before.number))
        self._client.set_registered_model_alias(self.name, CHAMPION, str(version.number))

    def rollback(self, who: str) -> tuple[Version, Version]:
        """Make `previous` the champion again; the version that it had replaced becomes `previous`. Raises InputError.

        Returns the champion that was and the one that is.
        """
        champion, previous = self.champion(), self.previous()
        if champion is None or previous is None:
            raise InputError(f"{self.name}: there is no {PREVIOUS} version to go back to; see promote status")
        self._client.set_registered_model_alias(self.name, CHAMPION, str(previous.number))
        if earlier := previous.tags.get(REPLACED):
            self._client.set_registered_model_alias(self.name, PREVIOUS, earlier)
        else:
            self._client.delete_registered_model_alias(self.name, PREVIOUS)
        self._tag(champion, STATUS, "rolled back")
        self._tag(champion, "rolled_back", f"{now()} by {who}")
        return champion, previous

    def _at(self, alias: str) -> Version | None:
        with self._speaking():
            found = self._client.search_registered_models(f"name = '{self.name}'")
        number = found[0].aliases.get(alias) if found else None
        return _version(self._client.get_model_version(self.name, str(number))) if number else None

    def _tag(self, version: Version, key: str, value: str) -> None:
        self._client.set_model_version_tag(self.name, str(version.number), key, value)

    @contextmanager
    def _speaking(self) -> Iterator[None]:
        from mlflow.environment_variables import MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR as BARS

        BARS.set(False)  # a bar for each artefact would hide the decision
        try:
            yield
        except self._mlflow.MlflowException as error:
            raise InputError(f"promote.model={self.name}: {' '.join(str(error).split())[:300]}") from error


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _version(own: Any) -> Version:
    return Version(int(own.version), own.run_id, dict(own.tags))
