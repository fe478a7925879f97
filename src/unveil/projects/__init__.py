"""Projects: what is audited, written down once in a file; and proposals for its roles."""

from typing import TYPE_CHECKING

from unveil._lazy import lazily

if TYPE_CHECKING:
    from unveil.projects._project import Data, Project, ReleaseAsked
    from unveil.projects._propose import ColumnProposal, Proposal, propose
    from unveil.projects._running import same_records

__all__, __getattr__ = lazily(__name__)
