import assert from 'node:assert/strict'
import { BlockList, isIPv4, isIPv6 } from 'node:net'
import fc from 'fast-check'
import { test } from 'tap'
import { includesAddress, isAddressRange } from './ip-addresses.ts'

/** Few values, so that random addresses are often in random ranges. */
const ipv4 = fc
  .array(fc.constantFrom(0, 1, 10, 127, 128, 255), { minLength: 4, maxLength: 4 })
  .map((all) => all.join('.'))
const group = fc.constantFrom('0', '1', 'ffff', 'FE80', '8000', '2001')
const ipv6 = fc.oneof(
  fc.array(group, { minLength: 8, maxLength: 8 }).map((all) => all.join(':')),
  fc
    .tuple(fc.array(group, { maxLength: 3 }), fc.array(group, { maxLength: 3 }))
    .map(([head, tail]) => `${head.join(':')}::${tail.join(':')}`)
)
const isMapped = (address: string): boolean => new URL(`http://[${address}]`).hostname.startsWith('[::ffff:')
const pureIpv6 = ipv6.filter((address) => !isMapped(address))

test('an address is in a range exactly if Node.js says so', async () => {
  for (const [family, address, bits] of [
    ['ipv4', ipv4, 32],
    ['ipv6', pureIpv6, 128]
  ] as const) {
    fc.assert(
      fc.property(address, address, fc.nat(bits), (network, one, prefix) => {
        const list = new BlockList()
        list.addSubnet(network, prefix, family)
        assert.equal(includesAddress([`${network}/${prefix}`], one), list.check(one, family))
      }),
      { numRuns: 2000 }
    )
  }
})

test('an IPv4 address in IPv6 form counts as IPv4, in requests and in lists', async () => {
  fc.assert(
    fc.property(ipv4, ipv4, fc.nat(32), (network, one, prefix) => {
      const isIn = includesAddress([`${network}/${prefix}`], one)
      assert.equal(includesAddress([`${network}/${prefix}`], `::ffff:${one}`), isIn)
      assert.equal(includesAddress([`::FFFF:${network}/${prefix + 96}`], one), isIn)
    })
  )
  assert.equal(includesAddress(['203.0.113.7'], '::ffff:cb00:7107'), true)
  assert.equal(includesAddress(['::/0'], '::ffff:203.0.113.7'), false, 'as for a gateway that listens at IPv4')
  assert.equal(includesAddress(['0.0.0.0/0'], '::1'), false)
})

test('a list has the addresses of each of its entries, and no text that is not an address', async () => {
  const list = ['203.0.113.7', '10.0.0.5/24', '2001:DB8::/32']
  for (const address of ['203.0.113.7', '10.0.0.255', '2001:db8:1::', '2001:db8::1%eth0'])
    assert.equal(includesAddress(list, address), true, address)
  for (const address of ['203.0.113.8', '10.0.1.0', '2001:db9::', '', 'unknown', '203.0.113.7:443', '203.0.113.7/32'])
    assert.equal(includesAddress(list, address), false, address)
  assert.equal(includesAddress(list, undefined), false)
  assert.equal(includesAddress(['0.0.0.0/0', '::/0'], 'x'.repeat(1e6)), false)
})

test('only addresses and ranges are valid entries', async () => {
  for (const text of ['0.0.0.0/0', '::/0', '255.255.255.255/32', '::1/128', '::ffff:10.0.0.0/104', '1::1.2.3.4'])
    assert.equal(isAddressRange(text), true, text)
  const wrong = [
    ...[
      '',
      '10.0.0',
      '10.0.0.256',
      '010.0.0.1',
      '10.0.0.1.',
      '10.0.0.0/33',
      '10.0.0.0/',
      '10.0.0.0/08',
      '10.0.0.0/8/8'
    ],
    ...['::1/129', '::ffff:10.0.0.0/95', 'fe80::1%eth0', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8::', ':::', '::1::', 'g::'],
    ...[' 10.0.0.1', '10.0.0.1 ', '10.0.0.1-10.0.0.9', 'localhost', '0x7f.1', '10.0.0.0/-1', '::1.2.3', '[::1]']
  ]
  for (const text of wrong) assert.equal(isAddressRange(text), false, text)
  // Random texts of the characters of addresses.
  const characters = fc.constantFrom(...'0129af:.', '::', '255', 'ffff:')
  fc.assert(
    fc.property(fc.array(characters, { maxLength: 16 }), (parts) => {
      const text = parts.join('')
      assert.equal(isAddressRange(text), isIPv4(text) || isIPv6(text), text)
    }),
    { numRuns: 5000 }
  )
})
