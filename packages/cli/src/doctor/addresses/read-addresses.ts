import { get, type Outcome } from '../network/get.ts'

export interface AddressFacts {
  /** `GET <PUBLIC_URL>/livez` */
  readonly control: Outcome
  /** `GET <GATEWAY_PUBLIC_URL>/v1/models` without a key. */
  readonly gateway: Outcome
}

/** Asks both services at the addresses that browsers and clients use. */
export async function readAddresses(
  publicUrl: string,
  gatewayPublicUrl: string,
  timeoutMs: number
): Promise<AddressFacts> {
  const [control, gateway] = await Promise.all([
    get(new URL('/livez', publicUrl), { timeoutMs }),
    get(new URL('/v1/models', gatewayPublicUrl), { timeoutMs })
  ])
  return { control, gateway }
}
