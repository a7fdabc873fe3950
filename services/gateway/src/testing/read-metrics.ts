/** One value of the metrics. */
export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

/** Reads metrics in Prometheus' text form. */
export function readMetrics(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
      if (name === undefined) throw new Error(`not a sample: ${line}`)
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [label!, text!])
      return { name, labels: Object.fromEntries(pairs), value: Number(value) }
    })
}

/** The values that each label has. */
export function labelsOf(samples: readonly Sample[]): Record<string, Set<string>> {
  const values: Record<string, Set<string>> = {}
  for (const { labels } of samples) {
    for (const [label, value] of Object.entries(labels)) {
      values[label] ??= new Set()
      values[label].add(value)
    }
  }
  return values
}

/** The sum of a metric over all samples that have these labels; 0 for none. */
export function sumOf(text: string, name: string, labels: Record<string, string> = {}): number {
  const wanted = Object.entries(labels)
  const ofName = text.split('\n').filter((line) => line.startsWith(name))
  return readMetrics(ofName.join('\n'))
    .filter((sample) => sample.name === name && wanted.every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0)
}
