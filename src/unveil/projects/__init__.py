"""Projects: what is audited, written down once in a file; and proposals for its roles."""

from unveil.projects._project import Data, Project, ReleaseAsked
from unveil.projects._propose import ColumnProposal, Proposal, propose
from unveil.projects._running import same_records

__all__ = [
    "ColumnProposal",
    "Data",
    "Project",
    "Proposal",
    "ReleaseAsked",
    "propose",
    "same_records",
]
