/** Something about the promises that is measured in its own way. */
export type Check = {
  name: string
  summary: string
  /** Too long for a whole run. */
  onlyIfNamed?: true
  /** @returns what was seen, and a line for each promise that was broken */
  run(): Promise<{ seen: string[]; broken: string[] }>
}
