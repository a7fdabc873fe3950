import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

/** Finds the addresses of a host's name. @returns an empty list if it has none @throws Error if no server answers */
export type FindAddresses = (host: string) => Promise<string[]>

/** Milliseconds for the first question; the second may take twice as long. */
const timeoutMs = 2000
const tries = 2

/** What a name server says about a name without addresses. */
const noAddress = new Set(['ENOTFOUND', 'ENODATA'])

/**
 * Asks the name servers of the machine. Not by `lookup`, which blocks a thread of the process for each question: a slow name
 * server of one customer would hold up the connections of all. So the machine's file of hosts is not read.
 */
export function createFindAddresses(): FindAddresses {
  const resolver = new Resolver({ timeout: timeoutMs, tries })
  return async (host) => {
    const name = host.replace(/\.$/, '')
    // RFC 6761, section 6.3: never asked.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1']
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const failed = found.find((one) => one.status === 'rejected' && !noAddress.has(codeOf(one.reason)))
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    if (addresses.length === 0 && failed?.status === 'rejected') throw failed.reason
    return addresses
  }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code)

/** The form of addresses that Node.js expects from a lookup. */
export const toLookup = (addresses: readonly string[]): LookupAddress[] =>
  addresses.map((address) => ({ address, family: isIP(address) }))
