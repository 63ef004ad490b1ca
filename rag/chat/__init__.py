"""Language models behind an endpoint, asked by generators and judges. Importing this loads no client."""

from rag.chat.endpoint import Endpoint, Messages, at_once
from rag.chat.failure import Failure
from rag.chat.reply import Reply

__all__ = ["Endpoint", "Failure", "Messages", "Reply", "at_once"]
