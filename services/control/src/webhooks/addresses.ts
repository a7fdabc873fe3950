import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Finds the addresses of a host's name. @returns an empty list if it has none @throws Error if no server answers */
export type FindAddresses = (host: string) => Promise<string[]>

/** Milliseconds for the first question; the second may take twice as long. */
const timeoutMs = 2000
const tries = 2

/** What a name server says about a name without addresses. */
const noAddress = new Set(['ENOTFOUND', 'ENODATA'])

/**
 * Asks the name servers of the machine. Not by `lookup`, which blocks a thread of the process for each question: a slow
 * name server of one customer would hold up the connections of all. So the machine's file of hosts is not read.
 */
export function createFindAddresses(): FindAddresses {
  const resolver = new Resolver({ timeout: timeoutMs, tries })
  return async (host) => {
    const name = host.replace(/\.$/, '')
    // RFC 6761, section 6.3: never asked.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1']
    const results = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const failed = results.find((one) => one.status === 'rejected' && !noAddress.has(codeOf(one.reason)))
    const addresses = results.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    if (addresses.length === 0 && failed?.status === 'rejected') throw failed.reason
    return addresses
  }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code)

/** The form of addresses that Node.js expects from a lookup. */
export const toLookup = (addresses: readonly string[]): LookupAddress[] =>
  addresses.map((address) => ({ address, family: isIP(address) }))

/** Networks in CIDR form, such as `10.0.0.0/8`, that webhooks may reach although they are not public. */
export type AllowedNetworks = ReadonlyArray<ReturnType<typeof ipaddr.parseCIDR>>

/** The network of all IPv6 addresses that are routed on the internet. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Public by number, but each virtual machine of Azure reaches its host's agent there, which has secrets of the machine:
 * https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
const azureHost = '168.63.129.16'

/** @returns null if a text is not a network */
export function readNetwork(text: string): AllowedNetworks[number] | null {
  return ipaddr.isValidCIDR(text) ? ipaddr.parseCIDR(text) : null
}

/**
 * Judges whether a webhook may be sent to an address. Public are only addresses that no document reserves for something
 * else: no private, link-local, loopback, shared (CGNAT) or multicast ones, not the host of an Azure machine, and none
 * that carry an IPv4 address (mapped, NAT64, 6to4, Teredo).
 *
 * @returns `allowed`: the operator listed its network
 */
export function judgeAddress(address: string, allowed: AllowedNetworks): 'public' | 'allowed' | 'refused' {
  if (!ipaddr.isValid(address)) return 'refused'
  const parsed = ipaddr.parse(address)
  // With a zone, as in fe80::1%eth0, it is not an address of the internet.
  const isZoned = address.includes('%')
  const forms = [
    parsed,
    ...(parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() ? [parsed.toIPv4Address()] : [])
  ]
  if (forms.some((form) => allowed.some((network) => isIn(form, network)))) return 'allowed'
  const isPublic =
    !isZoned &&
    parsed.range() === 'unicast' &&
    parsed.toString() !== azureHost &&
    (parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast as [ipaddr.IPv6, number]))
  return isPublic ? 'public' : 'refused'
}

const isIn = (address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: AllowedNetworks[number]): boolean =>
  address.kind() === network.kind() && address.match(network, bits)

/** Ports of other services, such as mail, are no targets: 80, 443, and those that any user may listen on. */
const isPort = (port: string): boolean => port === '' || port === '80' || port === '443' || Number(port) >= 1024

/**
 * Reads the address of an endpoint. It must be https; http only where the operator allows networks, for development.
 * What the host's name leads to is judged at every delivery, since it may change.
 *
 * @returns the address in its normal form, or `problem`: why it is refused
 */
export function readWebhookUrl(text: string, allowed: AllowedNetworks): { url: URL } | { problem: string } {
  if (!URL.canParse(text)) return { problem: 'must be an address such as https://example.com/webhooks' }
  const url = new URL(text)
  const schemes = allowed.length === 0 ? ['https:'] : ['https:', 'http:']
  if (!schemes.includes(url.protocol)) return { problem: 'must begin with https://' }
  if (url.username !== '' || url.password !== '') return { problem: 'must have no user name and no password' }
  if (url.hash !== '') return { problem: 'must have no # part' }
  if (!isPort(url.port)) return { problem: 'must have port 443, 80, or one from 1024 on' }
  const address = addressIn(url)
  if (address !== null && judgeAddress(address, allowed) === 'refused') {
    return { problem: 'must not lead to a private or reserved network' }
  }
  return { url }
}

/** @returns the IP address that a URL has instead of a name; null if it has a name */
export function addressIn({ hostname }: URL): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(bare) === 0 ? null : bare
}
