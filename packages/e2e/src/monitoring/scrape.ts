/** A scrape of an admin port: the name of each sample → the sum of its values over all labels. */
export type Scrape = ReadonlyMap<string, number>

const sample = /^(?<name>[a-zA-Z_:][\w:]*)(?:\{.*\})? (?<value>\S+)$/

/** Reads the text form of metrics. Values that are not numbers count as 0. */
export function readScrape(text: string): Map<string, number> {
  const sums = new Map<string, number>()
  for (const line of text.split('\n')) {
    const { name, value } = sample.exec(line)?.groups ?? {}
    if (name === undefined) continue
    sums.set(name, (sums.get(name) ?? 0) + (Number(value) || 0))
  }
  return sums
}

/** Asks admin ports for their metrics, and adds them up. */
export async function scrape(adminUrls: readonly string[]): Promise<Scrape> {
  const texts = await Promise.all(
    adminUrls.map(async (url) => {
      const response = await fetch(`${url}/metrics`)
      if (!response.ok) throw new Error(`${url}/metrics answered ${response.status}`)
      return response.text()
    })
  )
  return readScrape(texts.join('\n'))
}
