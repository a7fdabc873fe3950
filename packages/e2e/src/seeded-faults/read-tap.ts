/** A test of a run, in the Test Anything Protocol. */
export interface TapTest {
  readonly name: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
}

const line = /^ *(not )?ok \d+ - (.*?)(?: # (SKIP|TODO|time=).*)?(?: \{)?$/

/** Reads all tests and assertions, the inner ones first. */
export function readTap(output: string): TapTest[] {
  return output.split('\n').flatMap((text) => {
    const [all, failed, name, directive] = line.exec(text) ?? []
    if (all === undefined) return []
    if (directive === 'SKIP' || directive === 'TODO') return { name: name!, outcome: 'skipped' as const }
    return { name: name!, outcome: failed === undefined ? ('passed' as const) : ('failed' as const) }
  })
}
