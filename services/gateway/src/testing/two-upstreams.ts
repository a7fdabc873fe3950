import { type FakeUpstream, startFakeUpstream } from './fake-upstream.ts'
import { type GatewayOptions, startGateway, type TestGateway } from './start-gateway.ts'

/** A gateway in front of two upstreams. */
export interface TwoUpstreams {
  readonly first: FakeUpstream
  readonly second: FakeUpstream
  readonly gateway: TestGateway
  close(): Promise<void>
}

/** Entries of the upstreams file, by name: an address, and the APIs that it speaks. */
type Entries = Readonly<Record<string, readonly [baseUrl: string, speaks: string]>>

/**
 * Starts a gateway in front of the upstreams `first` and `second`.
 *
 * @param entriesOf the upstreams file. Absent: both speak Responses
 */
export async function startTwoUpstreams(
  options: Omit<GatewayOptions, 'upstreamsFile'>,
  entriesOf: (first: string, second: string) => Entries = (first, second) => ({
    first: [`${first}/v1`, 'responses'],
    second: [`${second}/v1`, 'responses']
  })
): Promise<TwoUpstreams> {
  const first = await startFakeUpstream()
  const second = await startFakeUpstream()
  const entries = Object.entries(entriesOf(first.url, second.url)).map(
    ([name, [baseUrl, speaks]]) =>
      `${name}: { base_url: '${baseUrl}', credential_variable: TEST_CREDENTIAL, speaks: [${speaks}] }`
  )
  const gateway = await startGateway(first.url, { ...options, upstreamsFile: `upstreams: { ${entries.join(', ')} }` })
  return {
    first,
    second,
    gateway,
    async close() {
      await gateway.close()
      await Promise.all([first.close(), second.close()])
    }
  }
}
