import { Counter, Gauge, type Registry } from 'prom-client'

type Labels = Readonly<Record<string, string>>

/** A value, with the labels that it has. */
export type Sample = readonly [labels: Labels, value: number]

interface Described {
  readonly name: string
  readonly help: string
  readonly labelNames?: readonly string[]
}

/**
 * Adds a gauge whose samples are read at each scrape.
 *
 * @param read returns a number, or a sample for each combination of labels; null if the value is unknown: then the
 *   metric has no sample. Never rejects
 */
export function addGauge(
  registry: Registry,
  { name, help, labelNames = [] }: Described,
  read: () => Pulled | Promise<Pulled>
): void {
  const gauge = new Gauge({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    async collect() {
      const pulled = await read()
      gauge.reset()
      // Without labels, a reset sets 0.
      if (labelNames.length === 0) gauge.remove()
      for (const [labels, value] of samplesOf(pulled)) gauge.set(labels, value)
    }
  })
}

/** Adds a counter whose samples are counted elsewhere. They never decrease. */
export function addCounter(
  registry: Registry,
  { name, help, labelNames = [] }: Described,
  read: () => readonly Sample[] | Promise<readonly Sample[]>
): void {
  const counter = new Counter({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    async collect() {
      const samples = await read()
      counter.reset()
      if (labelNames.length === 0) counter.remove()
      for (const [labels, value] of samples) counter.inc(labels, value)
    }
  })
}

type Pulled = number | null | readonly Sample[]

const samplesOf = (pulled: Pulled): readonly Sample[] =>
  pulled === null ? [] : typeof pulled === 'number' ? [[{}, pulled]] : pulled
