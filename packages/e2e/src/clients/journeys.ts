/** What a test shows. Four have columns in docs/clients.md; the others are named in its last one. */
export type Feature = 'answer' | 'stream' | 'tools' | 'structured output' | (string & {})

/** Where a client's tests are registered: they run, or docs/clients.md lists them. */
export interface Journeys {
  /** @param features what the test shows of the client */
  test(features: Feature[], name: string, run: () => Promise<unknown>): void
}
