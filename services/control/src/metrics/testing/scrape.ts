/** The samples of a scrape. */
export interface Scrape {
  /** In the format of Prometheus. */
  readonly text: string
  /**
   * The value of a sample, such as `of('tollgate_mails_total', { outcome: 'sent' })`. Undefined if there is no such
   * sample.
   */
  of(name: string, labels?: Readonly<Record<string, string>>): number | undefined
  /** All values of a label. */
  valuesOf(label: string): Set<string>
}

/** Reads `/metrics` of an admin server. */
export async function scrape(adminUrl: string): Promise<Scrape> {
  const answer = await fetch(`${adminUrl}/metrics`)
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${answer.status} ${text}`)
  const samples = new Map<string, number>()
  for (const line of text.split('\n')) {
    const [, name, labels, value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (name !== undefined) samples.set(keyOf(name, parseLabels(labels ?? '')), Number(value))
  }
  return {
    text,
    of: (name, labels = {}) => samples.get(keyOf(name, Object.entries(labels))),
    valuesOf: (label) =>
      new Set(Array.from(text.matchAll(new RegExp(`[{,]${label}="([^"]*)"`, 'g')), ([, value]) => value!))
  }
}

const parseLabels = (text: string): Array<[string, string]> =>
  Array.from(text.matchAll(/([a-z_]+)="([^"]*)"/g), ([, name, value]) => [name!, value!])

const keyOf = (name: string, labels: ReadonlyArray<readonly [string, string]>): string =>
  `${name} ${JSON.stringify(labels.toSorted(([one], [other]) => (one < other ? -1 : 1)))}`
