import { isIP } from 'node:net'
import { type AllowedNetworks, judgeAddress } from './judge-address.ts'

/** Ports of other services, such as mail, are no targets: 80, 443, and those that any user may listen on. */
const isPort = (port: string): boolean => port === '' || port === '80' || port === '443' || Number(port) >= 1024

/**
 * Reads the address of an endpoint. It must be https; http only where the operator allows networks, for development. What the
 * host's name leads to is judged at every delivery, since it may change.
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
