/** A measurement of promises that needs its own system. */
export interface Check {
  name: string
  summary: string
  /** Too long for a full run. */
  onlyIfNamed?: true
  /** @returns what it measured, and one line per broken promise */
  run(): Promise<{ seen: string[]; broken: string[] }>
}
