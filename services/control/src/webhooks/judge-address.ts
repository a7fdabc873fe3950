import ipaddr from 'ipaddr.js'

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
 * Judges whether a webhook may be sent to an address. Public are only addresses that no document reserves for something else:
 * no private, link-local, loopback, shared (CGNAT) or multicast ones, not the host of an Azure machine, and none that carry an IPv4 address (mapped, NAT64, 6to4,
 * Teredo).
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
