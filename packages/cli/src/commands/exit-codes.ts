/** The exit codes of every command. They are a contract: scripts depend on them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notSignedIn: 3,
  unreachable: 4,
  pending: 5
} as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** What each exit code means, for the documentation. */
export const exitCodeTexts: Readonly<Record<ExitCode, string>> = {
  0: 'Done. For checks: no problem was found.',
  1: 'Failed, or a check found a problem. The message names it.',
  2: 'The command was used wrongly, or a confirmation is missing. Nothing was changed.',
  3: 'Not signed in, signed in more than 12 hours ago, or not an operator. Run `tollgate login`.',
  4: 'Control, or the database, cannot be reached.',
  5: 'The change is saved, but not in force at every gateway yet. It takes effect by itself.'
}
