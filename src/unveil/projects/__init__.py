"""Projects: what is audited, written down once in a file; and proposals for its roles."""

from typing import TYPE_CHECKING

from unveil._lazy import lazily

if TYPE_CHECKING:
    from unveil.projects._form import Data, ReleaseAsked
    from unveil.projects._project import Project, same_records
    from unveil.projects._propose import ColumnProposal, Proposal, propose
    from unveil.projects._two_files import TwoFiles, two_files

__all__, __getattr__ = lazily(__name__)
