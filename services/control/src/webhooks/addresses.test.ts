import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { judgeAddress, readNetwork, readWebhookUrl } from './addresses.ts'

const networks = (...texts: string[]) => texts.map((text) => readNetwork(text)!)

const refused = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '127.0.0.1', '127.9.9.9', '169.254.169.254', '172.16.0.1'],
  ...['172.31.255.255', '192.0.0.1', '192.0.2.1', '192.168.1.1', '198.18.0.1', '198.51.100.1', '203.0.113.1'],
  ...['224.0.0.1', '240.0.0.1', '255.255.255.255', '192.88.99.1', '168.63.129.16'],
  ...['::', '::1', '::8.8.8.8', '::ffff:8.8.8.8', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '::ffff:0:10.0.0.1'],
  ...['64:ff9b::8.8.8.8', '64:ff9b::a00:1', '64:ff9b:1::1', '2002:7f00:1::', '2002:808:808::1', '2001::1'],
  ...['fc00::1', 'fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '100::1', '2001:db8::1', '3fff::1'],
  ...['4000::1', '5f00::1', '', 'example.com', '127.1x', '2606:4700::1111%eth0']
]

test('only addresses of the internet are public', async () => {
  for (const address of refused) assert.equal(judgeAddress(address, []), 'refused', address)
  for (const address of [
    '1.1.1.1',
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '168.63.129.17',
    '2606:4700::1111',
    '2a00:1450::1'
  ]) {
    assert.equal(judgeAddress(address, []), 'public', address)
  }
})

test('no IPv4 address that is refused gets in inside of an IPv6 address', async () => {
  const byte = fc.nat({ max: 255 })
  fc.assert(
    fc.property(
      byte,
      byte,
      byte,
      byte,
      fc.constantFrom('::ffff:', '::', '64:ff9b::', '::ffff:0:'),
      (a, b, c, d, prefix) => {
        assert.equal(judgeAddress(`${prefix}${a}.${b}.${c}.${d}`, []), 'refused')
      }
    )
  )
})

test('a network that the operator lists is allowed, also in an IPv4-mapped form, and no other', async () => {
  const allowed = networks('10.1.0.0/16', 'fd00::/8')
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', 'fd12::1'])
    assert.equal(judgeAddress(address, allowed), 'allowed')
  for (const address of ['10.2.0.1', '::ffff:10.2.0.1', 'fc00::1'])
    assert.equal(judgeAddress(address, allowed), 'refused')
  assert.equal(readNetwork('10.0.0.1'), null)
  assert.equal(readNetwork('10.0.0.0/33'), null)
})

test('an endpoint has an https address, without credentials, at a port for services', async () => {
  const problemOf = (text: string, ...allowed: string[]) => {
    const read = readWebhookUrl(text, networks(...allowed))
    return 'problem' in read ? read.problem : null
  }
  for (const text of [
    'https://example.com',
    'https://example.com:8443/a?b=c',
    'https://example.com:80',
    'https://8.8.8.8/'
  ]) {
    assert.equal(problemOf(text), null, text)
  }
  for (const text of [
    ...['', 'example.com', 'ftp://example.com', 'file:///etc/passwd', 'http://example.com', 'https://a:b@example.com'],
    ...['https://user@example.com', 'https://example.com/#part', 'https://example.com:22', 'https://example.com:25'],
    // Every form in which URLs may write an IPv4 address.
    ...['https://127.0.0.1', 'https://2130706433', 'https://0x7f.1', 'https://0177.0.0.1', 'https://[::1]'],
    ...['https://[::ffff:7f00:1]', 'https://169.254.169.254/latest', 'https://[64:ff9b::7f00:1]', 'https://127.0.0.1.']
  ]) {
    assert.notEqual(problemOf(text), null, text)
  }
  assert.equal(problemOf('http://127.0.0.1:3001/', '127.0.0.0/8'), null)
  assert.equal(problemOf('http://localhost:3001/', '127.0.0.0/8'), null)
  assert.notEqual(problemOf('http://127.0.0.1:3001/', '10.0.0.0/8'), null)
})
