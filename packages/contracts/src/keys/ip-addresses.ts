/** Maximum entries of a key's list. */
export const maxAddresses = 50

/** The addresses of a range have its first `prefix` bits. IPv4 has 32 bits, IPv6 128. */
interface Range {
  readonly bits: 32 | 128
  readonly value: bigint
  readonly prefix: number
}

/** Ranges of the lists that are in use. Parsed once for each record of a key, because every request asks. */
const parsed = new WeakMap<readonly string[], readonly Range[]>()

/** Whether a text is an IPv4 or IPv6 address, or a range of them such as `203.0.113.0/24`. */
export const isAddressRange = (text: string): boolean => readRange(text) !== null

/**
 * Whether a list of addresses and ranges has an address. An IPv4 address in IPv6 form, such as `::ffff:203.0.113.7`,
 * counts as IPv4.
 *
 * @param address of a client. A trusted proxy may send any text: no list has one that is not an address
 */
export function includesAddress(list: readonly string[], address: string | undefined): boolean {
  const one = address === undefined ? null : readAddress(withoutZone(address))
  if (one === null) return false
  let ranges = parsed.get(list)
  if (ranges === undefined) {
    ranges = list.map(readRange).filter((range) => range !== null)
    parsed.set(list, ranges)
  }
  return ranges.some(({ bits, value, prefix }) => {
    const rest = BigInt(bits - prefix)
    return one.bits === bits && one.value >> rest === value >> rest
  })
}

/** A zone such as `%eth0` names an interface of the gateway's machine. */
function withoutZone(address: string): string {
  const at = address.indexOf('%')
  return at === -1 ? address : address.slice(0, at)
}

function readRange(text: string): Range | null {
  const slash = text.indexOf('/')
  const address = readAddress(slash === -1 ? text : text.slice(0, slash))
  if (address === null) return null
  const { bits, value, prefix: longest } = address
  if (slash === -1) return address
  const end = text.slice(slash + 1)
  if (!/^(0|[1-9]\d{0,2})$/.test(end)) return null
  // In IPv6 form, the 96 bits before an IPv4 address count, too.
  const prefix = Number(end) - (text.includes(':') ? 128 - longest : 0)
  return prefix >= 0 && prefix <= bits ? { bits, value, prefix } : null
}

/** The longest text of an address, `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255`. */
const maxLength = 45

function readAddress(text: string): Range | null {
  if (text.length > maxLength) return null
  const ipv4 = readIpv4(text)
  if (ipv4 !== null) return { bits: 32, value: ipv4, prefix: 32 }
  const ipv6 = readIpv6(text)
  if (ipv6 === null) return null
  if (ipv6 >> 32n === 0xffffn) return { bits: 32, value: ipv6 & 0xffffffffn, prefix: 32 }
  return { bits: 128, value: ipv6, prefix: 128 }
}

function readIpv4(text: string): bigint | null {
  const bytes = text.split('.')
  // Some programs read a number with a leading zero as octal.
  const isByte = (byte: string) => /^(0|[1-9]\d{0,2})$/.test(byte) && Number(byte) <= 255
  return bytes.length === 4 && bytes.every(isByte) ? join(bytes.map(Number), 8) : null
}

function readIpv6(text: string): bigint | null {
  const end = text.slice(text.lastIndexOf(':') + 1)
  const ipv4 = end.includes('.') ? readIpv4(end) : null
  if (end.includes('.') && ipv4 === null) return null
  const whole =
    ipv4 === null ? text : `${text.slice(0, -end.length)}${(ipv4 >> 16n).toString(16)}:${(ipv4 & 0xffffn).toString(16)}`
  const [head = [], tail, ...others] = whole.split('::').map((half) => (half === '' ? [] : half.split(':')))
  // `::` stands for one group of zeros or more.
  const missing = 8 - head.length - (tail?.length ?? 0)
  if (others.length > 0 || (tail === undefined ? missing !== 0 : missing < 1)) return null
  const groups = [...head, ...Array<string>(missing).fill('0'), ...(tail ?? [])]
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null
  const numbers = groups.map((group) => Number.parseInt(group, 16))
  return join(numbers, 16)
}

const join = (parts: readonly number[], bits: number): bigint =>
  parts.reduce((value, part) => (value << BigInt(bits)) | BigInt(part), 0n)
