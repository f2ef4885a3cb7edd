"""How the shipped models were trained and measured, as commands: no part of the wheel, and nothing else imports it."""
