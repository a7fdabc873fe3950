/** A measurement of promises that needs its own system. */
export interface Check {
  name: string
  summary: string
  /** Too long for a full run. */
  onlyIfNamed?: true
  /** Names of its parts. A run that names some of them beside the check has only these. */
  parts?: readonly string[]
  /**
   * @param names those of the command line
   * @returns what it measured, and one line per broken promise
   */
  run(names: readonly string[]): Promise<{ seen: string[]; broken: string[] }>
}
