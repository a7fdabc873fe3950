import { describeFailure, get, isLoopback, isPrivate, type Outcome } from './network.ts'
import { type Checked, type Finding, type Result, resultsOf, skip } from './results.ts'
import type { Settings } from './settings.ts'

const { error, warning, ok } = resultsOf('addresses')

export async function checkAddresses({ control, areValid }: Settings, timeoutMs: number): Promise<Checked> {
  const invalid = ['PUBLIC_URL', 'GATEWAY_PUBLIC_URL'].filter((name) => !areValid(name))
  if (control === null || invalid.length > 0) {
    return skip('addresses', ...invalid)
  }
  const { publicUrl, gatewayPublicUrl, host: controlHost } = control
  const findings = judgeAddresses({ ...control, controlHost })
  const facts = await readAddresses(publicUrl, gatewayPublicUrl, timeoutMs)
  return { results: [...judgeReachability(facts, { publicUrl, gatewayPublicUrl }), ...findings] }
}

interface AddressFacts {
  /** `GET <PUBLIC_URL>/livez` */
  readonly control: Outcome
  /** `GET <GATEWAY_PUBLIC_URL>/v1/models` without a key. */
  readonly gateway: Outcome
}

/** Asks both services at the addresses that browsers and clients use. */
async function readAddresses(publicUrl: string, gatewayPublicUrl: string, timeoutMs: number): Promise<AddressFacts> {
  const [control, gateway] = await Promise.all([
    get(new URL('/livez', publicUrl), { timeoutMs }),
    get(new URL('/v1/models', gatewayPublicUrl), { timeoutMs })
  ])
  return { control, gateway }
}

export interface AddressSettings {
  /** Origins. */
  readonly publicUrl: string
  readonly gatewayPublicUrl: string
  readonly serviceDomain: string
  readonly extraOrigins: readonly string[]
  readonly trustProxy: boolean | readonly string[]
  /** CONTROL_HOST */
  readonly controlHost: string
}

/** Judges the addresses by themselves, without asking anybody. */
export function judgeAddresses(settings: AddressSettings): Finding[] {
  return [
    ...judgeEncryption(settings),
    ...judgeGatewayAddress(settings),
    ...judgeCookieDomain(settings),
    ...judgeOrigins(settings),
    ...judgeProxies(settings)
  ]
}

const partsOf = (origin: string) => {
  const { protocol, hostname } = new URL(origin)
  return { isSecure: protocol === 'https:', hostname }
}

function judgeEncryption({ publicUrl }: AddressSettings): Finding[] {
  const { isSecure, hostname } = partsOf(publicUrl)
  if (isSecure || isLoopback(hostname)) return []
  return [
    error('public_url_http', {
      what: `PUBLIC_URL is ${publicUrl}, without TLS.`,
      why: 'Passwords and session cookies travel unencrypted, and cookies lack the attribute Secure.',
      fix: `Put a proxy with a certificate in front of control (deploy/nginx/tollgate.conf), and set PUBLIC_URL=https://${hostname}`
    })
  ]
}

function judgeGatewayAddress({ publicUrl, gatewayPublicUrl }: AddressSettings): Finding[] {
  const control = partsOf(publicUrl)
  const gateway = partsOf(gatewayPublicUrl)
  if (isLoopback(gateway.hostname) && !isLoopback(control.hostname)) {
    return [
      error('gateway_url_local', {
        what: `GATEWAY_PUBLIC_URL is ${gatewayPublicUrl}, an address of this machine.`,
        why: 'The dashboard shows this address to customers, and their browsers and programs cannot reach it.',
        fix: 'Set GATEWAY_PUBLIC_URL to the address that clients use, such as https://api.example.com.'
      })
    ]
  }
  if (gateway.isSecure || isLoopback(gateway.hostname)) return []
  return [
    error('gateway_url_http', {
      what: `GATEWAY_PUBLIC_URL is ${gatewayPublicUrl}, without TLS.`,
      why: 'API keys travel unencrypted, and browsers block calls from the https dashboard to it.',
      fix: `Put a proxy with a certificate in front of the gateway, and set GATEWAY_PUBLIC_URL=https://${gateway.hostname}`
    })
  ]
}

/** Control sets no `Domain` on cookies of a domain without a dot, so nothing is shared then. */
function judgeCookieDomain({ serviceDomain, publicUrl }: AddressSettings): Finding[] {
  const { hostname } = partsOf(publicUrl)
  if (serviceDomain === hostname) return []
  if (!serviceDomain.includes('.')) {
    return [
      error('service_domain_too_wide', {
        what: `SERVICE_DOMAIN is ${serviceDomain}, a whole top-level domain.`,
        why: 'Pages of every site below it may call /api with the session of a visitor.',
        fix: `Set SERVICE_DOMAIN=${hostname.split('.').slice(-2).join('.')}, or remove it.`
      })
    ]
  }
  if (!publicSuffixes.has(serviceDomain)) return []
  return [
    error('service_domain_too_wide', {
      what: `Strangers can register names below SERVICE_DOMAIN (${serviceDomain}).`,
      why: 'Browsers refuse cookies for such a domain, so nobody can sign in. Pages of strangers may call /api.',
      fix: `Set SERVICE_DOMAIN=${hostname}, or remove it.`
    })
  ]
}

/**
 * Domains of hosting providers, and registries, that browsers refuse cookies for (publicsuffix.org): the usual ones.
 */
const publicSuffixes = new Set([
  ...['co.uk', 'org.uk', 'com.au', 'co.jp', 'com.br', 'co.nz', 'co.za', 'com.cn', 'co.in'],
  ...['github.io', 'gitlab.io', 'pages.dev', 'workers.dev', 'vercel.app', 'netlify.app', 'herokuapp.com', 'fly.dev'],
  ...['onrender.com', 'up.railway.app', 'web.app', 'firebaseapp.com', 'azurewebsites.net', 'ngrok.io', 'ngrok-free.app']
])

function judgeOrigins({ extraOrigins, publicUrl }: AddressSettings): Finding[] {
  if (isPrivate(partsOf(publicUrl).hostname)) return []
  return extraOrigins
    .filter((origin) => !partsOf(origin).isSecure || isLoopback(partsOf(origin).hostname))
    .map((origin) =>
      warning('cors_origin_open', {
        what: `CORS_EXTRA_ORIGINS allows ${origin}.`,
        why: 'Any program on a visitor’s machine or network can serve a page from there, which may call /api with the session.',
        fix: `Remove ${origin} from CORS_EXTRA_ORIGINS outside of development.`
      })
    )
}

/** Control has no TLS of its own: with an https address, a proxy is in front. */
function judgeProxies({ trustProxy, publicUrl, controlHost }: AddressSettings): Finding[] {
  const trustsAll = trustProxy === true
  if (trustsAll && !isPrivate(controlHost)) {
    return [
      warning('trust_proxy_all', {
        what: `TRUST_PROXY=true, and control listens on ${controlHost}.`,
        why: 'A client that reaches control directly can forge its address, and get around the limits of sign-in attempts.',
        fix: 'Name the proxies instead: TRUST_PROXY=10.0.0.5 or a network such as 10.0.0.0/8.'
      })
    ]
  }
  if (trustProxy !== false || !partsOf(publicUrl).isSecure) return []
  return [
    warning('trust_proxy_missing', {
      what: 'PUBLIC_URL is https, so a proxy is in front of control, but TRUST_PROXY=false.',
      why: 'All visitors share the address of the proxy, and so its limits: one attacker locks out everybody.',
      fix: 'Set TRUST_PROXY to the addresses of the proxy, such as TRUST_PROXY=loopback or TRUST_PROXY=10.0.0.0/8.'
    })
  ]
}

/** Judges whether the services answer at their public addresses. */
function judgeReachability(
  facts: AddressFacts,
  { publicUrl, gatewayPublicUrl }: { readonly publicUrl: string; readonly gatewayPublicUrl: string }
): Result[] {
  return [
    judgeService(facts.control, {
      name: 'control',
      variable: 'PUBLIC_URL',
      url: publicUrl,
      isOurs: (json) => (json as { ok?: unknown } | null | undefined)?.ok === true
    }),
    judgeService(facts.gateway, {
      name: 'gateway',
      variable: 'GATEWAY_PUBLIC_URL',
      url: gatewayPublicUrl,
      isOurs: (json) => (json as { error?: { code?: unknown } } | null | undefined)?.error?.code === 'missing_api_key'
    })
  ]
}

interface Service {
  readonly name: 'control' | 'gateway'
  readonly variable: 'PUBLIC_URL' | 'GATEWAY_PUBLIC_URL'
  readonly url: string
  isOurs(json: unknown): boolean
}

function judgeService(outcome: Outcome, { name, variable, url, isOurs }: Service): Result {
  const title = name === 'control' ? 'Control' : 'The gateway'
  if ('failure' in outcome) {
    return warning(`${name}_unreachable`, {
      what: describeFailure(`${title} at ${url}`, outcome.failure),
      why: 'If it runs, browsers and clients may not reach it either.',
      fix: `Start ${title.toLowerCase()}. If it runs, correct ${variable}, DNS or the proxy in front of it.`
    })
  }
  const { status, json } = outcome.answer
  if (isOurs(json)) return ok(`${title} answers at ${url}.`)
  return error(`${name}_foreign`, {
    what: `Another server answers at ${variable} (${url}), with status ${status}.`,
    why:
      name === 'control'
        ? 'Links in mails, and webhooks, lead there.'
        : 'The dashboard shows this address to customers.',
    fix: `Correct ${variable}, or the proxy in front of ${title.toLowerCase()}: deploy/nginx/tollgate.conf is an example.`
  })
}
