import assert from 'node:assert/strict'
import { test } from 'tap'
import { type AddressSettings, judgeAddresses } from './addresses.ts'

const right: AddressSettings = {
  publicUrl: 'https://app.example.com',
  gatewayPublicUrl: 'https://api.example.com',
  serviceDomain: 'example.com',
  extraOrigins: ['https://partner.example.org'],
  trustProxy: ['10.0.0.0/8'],
  controlHost: '0.0.0.0'
}
const local: AddressSettings = {
  publicUrl: 'http://localhost:3000',
  gatewayPublicUrl: 'http://localhost:8080',
  serviceDomain: 'localhost',
  extraOrigins: ['http://localhost:5173'],
  trustProxy: false,
  controlHost: '127.0.0.1'
}

const cases: Array<[name: string, settings: AddressSettings, codes: string[]]> = [
  ['addresses with https behind a proxy are right', right, []],
  ['addresses of this machine are right', local, []],
  ['the host itself as service domain is right', { ...right, serviceDomain: 'app.example.com' }, []],
  ['PUBLIC_URL without TLS', { ...right, publicUrl: 'http://app.example.com' }, ['public_url_http']],
  ['the gateway without TLS', { ...right, gatewayPublicUrl: 'http://api.example.com' }, ['gateway_url_http']],
  ['the default of GATEWAY_PUBLIC_URL', { ...right, gatewayPublicUrl: 'http://localhost:8080' }, ['gateway_url_local']],
  ['a top-level domain for cookies', { ...right, serviceDomain: 'com' }, ['service_domain_too_wide']],
  [
    'a domain of a hosting provider for cookies',
    { ...right, publicUrl: 'https://x.pages.dev', serviceDomain: 'pages.dev' },
    ['service_domain_too_wide']
  ],
  ['pages of this machine in production', { ...right, extraOrigins: ['http://localhost:5173'] }, ['cors_origin_open']],
  ['pages without TLS', { ...right, extraOrigins: ['http://partner.example.org'] }, ['cors_origin_open']],
  ['a proxy that is not trusted', { ...right, trustProxy: false }, ['trust_proxy_missing']],
  ['all clients trusted as proxies', { ...right, trustProxy: true, controlHost: '203.0.113.7' }, ['trust_proxy_all']],
  ['all clients trusted as proxies on a loopback address', { ...right, trustProxy: true, controlHost: '127.0.0.1' }, []]
]

for (const [name, settings, codes] of cases) {
  test(name, async () =>
    assert.deepEqual(
      judgeAddresses(settings).map(({ code }) => code),
      codes
    )
  )
}
