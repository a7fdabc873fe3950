import { resolve } from 'node:path'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { checkMailServer } from '@tollgate/control/mail/check-mail-server.ts'
import { knownVariables } from '@tollgate/service/config/known-variables.ts'
import { readTraces } from '@tollgate/service/tracing/trace-settings.ts'
import { parseRedisUrl } from '@tollgate/state/link/redis-url.ts'
import { judgeAddresses } from './addresses/judge-addresses.ts'
import { judgeReachability } from './addresses/judge-reachability.ts'
import { readAddresses } from './addresses/read-addresses.ts'
import { type Clock, judgeClocks } from './clocks/judge-clocks.ts'
import { judgeDatabase } from './database/judge-database.ts'
import { judgePglite } from './database/judge-pglite.ts'
import { readDatabase } from './database/read-database.ts'
import { judgeFiles } from './files/judge-files.ts'
import { type FileFacts, type FilePaths, readFiles } from './files/read-files.ts'
import { judgeIdentity } from './identity/judge-identity.ts'
import { readIdentity } from './identity/read-identity.ts'
import { judgeMail } from './mail/judge-mail.ts'
import { judgeCollector } from './network/judge-collector.ts'
import { readCollector } from './network/read-collector.ts'
import { judgePayments } from './payments/judge-payments.ts'
import { readPayments } from './payments/read-payments.ts'
import { receiptsCollector } from './receipts/receipts-collector.ts'
import { judgeRedis } from './redis/judge-redis.ts'
import { readRedis } from './redis/read-redis.ts'
import { hideSecrets, listSecrets, withoutSecrets } from './results/hide-secrets.ts'
import { type Part, type Result, resultsOf } from './results/result.ts'
import { judgeVariables } from './settings/judge-variables.ts'
import { readSettings, type Settings } from './settings/read-settings.ts'
import type { Variables } from './settings/repair-config.ts'
import { tracesCollector } from './traces/traces-collector.ts'
import { describeLeftOut, judgeRoutes, judgeUpstream, modelsRoutedTo } from './upstreams/judge-upstreams.ts'
import { readUpstream } from './upstreams/read-upstream.ts'

export interface CheckOptions {
  /** For each server. */
  readonly timeoutMs: number
}

/** The results of one part, and the clock that it has seen. */
interface Checked {
  readonly results: readonly Result[]
  readonly clock?: Clock | null
}

/**
 * Checks the settings of both services, and every server that they name. The servers are asked at the same time. The results
 * contain no secrets.
 *
 * @param env the environment
 * @param cwd the directory with `.env`; relative paths begin there
 */
export async function runChecks(env: Variables, cwd: string, { timeoutMs }: CheckOptions): Promise<Result[]> {
  const settings = readSettings(env, cwd)
  const paths = pathsOf(settings, cwd)
  const files = paths === null ? null : readFiles(paths, settings.env)
  const named = files !== null && 'content' in files.upstreams ? files.upstreams.content.variables : []
  const known = [...knownVariables, ...named]
  const secrets = listSecrets(
    settings.env,
    named.filter((name) => !/_URL$/.test(name))
  )
  const checked = await Promise.all([
    checkDatabase(settings, timeoutMs),
    checkRedis(settings, timeoutMs),
    checkIdentity(settings, timeoutMs),
    checkPayments(settings, files, timeoutMs),
    checkMail(settings, timeoutMs),
    checkUpstreams(files, timeoutMs),
    checkAddresses(settings, timeoutMs),
    checkTraces(settings, timeoutMs),
    checkReceipts(settings, timeoutMs)
  ])
  const clocks = checked.flatMap(({ clock }) => clock ?? [])
  const results: Result[] = [
    ...describeEmbedded(settings),
    ...judgeVariables({ env: settings.env, known, problems: settings.problems }),
    ...(files === null || paths === null ? [] : judgeFiles(files, paths, isControlPod(settings.env, named))),
    ...checked.flatMap(({ results }) => results),
    ...judgeClocks(clocks)
  ]
  return results.map((result) => withoutSecrets(result, secrets))
}

/** Removes the secrets of an environment from the text of an unexpected error. */
export const describeError = (error: unknown, env: Variables): string =>
  hideSecrets(error instanceof Error ? error.message : String(error), listSecrets(env, []))

function describeEmbedded({ embedded }: Settings): Result[] {
  if (embedded.length === 0) return []
  return [resultsOf('settings').ok(`npm start runs these parts itself. They are checked, too: ${embedded.join(', ')}.`)]
}

function pathsOf({ control, gateway, embedded, env }: Settings, cwd: string): FilePaths | null {
  if (control === null || gateway === null) return null
  const pglite = /^pglite:(?!memory$)(.+)$/.exec(control.databaseUrl)?.[1]
  const written = [
    ...(pglite === undefined ? [] : [pglite]),
    ...(embedded.length === 0 ? [] : [env.TOLLGATE_DATA_DIR || '.tollgate'])
  ]
  return {
    cwd,
    catalogFile: control.catalogFile,
    upstreamsFile: gateway.UPSTREAMS_FILE,
    dashboardDir: control.dashboardDir,
    written: [...new Set(written.map((path) => resolve(cwd, path)))]
  }
}

const skip = (part: Part, ...names: string[]): Checked => ({
  results: [resultsOf(part).skipped(`Not checked. First correct ${names.join(' and ')}.`)]
})

async function checkDatabase({ control, areValid, env }: Settings, timeoutMs: number): Promise<Checked> {
  if (control === null || !areValid('DATABASE_URL')) return skip('PostgreSQL', 'DATABASE_URL')
  const { databaseUrl: url } = control
  if (url.startsWith('pglite:')) return { results: judgePglite(url) }
  const outcome = await readDatabase(url, timeoutMs)
  const settings = { poolSize: control.databasePoolSize, migratesItself: env.AUTO_MIGRATE !== 'false' }
  const clock = outcome.kind === 'facts' ? { name: 'PostgreSQL', skewMs: outcome.skewMs } : null
  return { results: judgeDatabase(outcome, settings), clock }
}

async function checkRedis({ control, areValid }: Settings, timeoutMs: number): Promise<Checked> {
  if (control === null || !areValid('REDIS_URL')) return skip('Redis', 'REDIS_URL')
  const outcome = await readRedis(control.redisUrl, timeoutMs)
  const clock = outcome.kind === 'facts' ? { name: 'Redis', skewMs: outcome.skewMs } : null
  return { results: judgeRedis(outcome, parseRedisUrl(control.redisUrl)), clock }
}

async function checkIdentity({ control, areValid }: Settings, timeoutMs: number): Promise<Checked> {
  const names = ['SUPABASE_URL', 'SUPABASE_ANON_KEY', 'SUPABASE_SERVICE_ROLE_KEY', 'PUBLIC_URL']
  const invalid = names.filter((name) => !areValid(name))
  if (control === null || invalid.length > 0) return skip('Supabase', ...invalid)
  const { identity, publicUrl } = control
  const wantedTarget = `${publicUrl}/reset-password`
  const facts = await readIdentity(identity, wantedTarget, timeoutMs)
  const { url, webhookSecrets, providers } = identity
  const { health } = facts
  const skewMs = 'answer' in health ? health.answer.skewMs : null
  return {
    results: judgeIdentity(facts, {
      ...{ url, publicUrl, wantedTarget, providers },
      hasWebhookSecret: webhookSecrets.length > 0
    }),
    clock: skewMs === null ? null : { name: 'Supabase', skewMs }
  }
}

async function checkPayments(settings: Settings, files: FileFacts | null, timeoutMs: number): Promise<Checked> {
  const { control, areValid, embedded } = settings
  const invalid = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_API_BASE', 'PUBLIC_URL'].filter(
    (name) => !areValid(name)
  )
  if (control === null || invalid.length > 0) return skip('Stripe', ...invalid)
  const catalog = catalogOf(files) ?? emptyCatalog
  const ids = Object.values(catalog.plans).flatMap(({ prices = [] }) => prices.map(({ id }) => id))
  const facts = await readPayments(control.payments, ids, timeoutMs)
  const { publicUrl, payments } = control
  const isEmbedded = embedded.includes('payments')
  return {
    results: judgePayments(facts, catalog, { publicUrl, ...payments, isEmbedded }),
    clock: facts.skewMs === null ? null : { name: 'Stripe', skewMs: facts.skewMs }
  }
}

async function checkMail({ control, areValid }: Settings, timeoutMs: number): Promise<Checked> {
  const invalid = ['SMTP_URL', 'MAIL_FROM'].filter((name) => !areValid(name))
  if (control === null || invalid.length > 0) return skip('mail', ...invalid)
  const { smtp } = control
  if (smtp === null) return { results: [resultsOf('mail').ok('Control sends no mails: SMTP_URL is not set.')] }
  return { results: [judgeMail(smtp, await checkMailServer(smtp, timeoutMs))] }
}

const emptyCatalog: Catalog = { models: {}, plans: {} }

const catalogOf = (files: FileFacts | null): Catalog | null =>
  files !== null && 'content' in files.catalog ? files.catalog.content : null

async function checkUpstreams(files: FileFacts | null, timeoutMs: number): Promise<Checked> {
  if (files === null || !('content' in files.upstreams)) return skip('upstreams', 'the upstreams file')
  const { settings, names, leftOut } = files.upstreams.content
  const catalog = catalogOf(files) ?? emptyCatalog
  const facts = await Promise.all(
    settings.map((upstream) => readUpstream(upstream, modelsRoutedTo(catalog, upstream.name), timeoutMs))
  )
  const results = [
    ...facts.flatMap(judgeUpstream),
    ...describeLeftOut(catalog, leftOut),
    ...judgeRoutes(catalog, names)
  ]
  return { results }
}

async function checkAddresses({ control, areValid }: Settings, timeoutMs: number): Promise<Checked> {
  const invalid = ['PUBLIC_URL', 'GATEWAY_PUBLIC_URL'].filter((name) => !areValid(name))
  if (control === null || invalid.length > 0) {
    return skip('addresses', ...invalid)
  }
  const { publicUrl, gatewayPublicUrl, host: controlHost } = control
  const findings = judgeAddresses({ ...control, controlHost })
  const facts = await readAddresses(publicUrl, gatewayPublicUrl, timeoutMs)
  return { results: [...judgeReachability(facts, { publicUrl, gatewayPublicUrl }), ...findings] }
}

async function checkTraces({ gateway, areValid, env }: Settings, timeoutMs: number): Promise<Checked> {
  const names = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']
  const invalid = names.filter((name) => !areValid(name))
  if (gateway === null || invalid.length > 0) return skip('traces', ...invalid)
  const traces = readTraces(gateway)
  if (traces === null) return { results: [] }
  const url = new URL(traces.url)
  const headers = env.OTEL_EXPORTER_OTLP_TRACES_HEADERS || gateway.OTEL_EXPORTER_OTLP_HEADERS
  return { results: [judgeCollector(tracesCollector, url, await readCollector(url, headers, timeoutMs))] }
}

async function checkReceipts({ control, areValid, env }: Settings, timeoutMs: number): Promise<Checked> {
  if (control === null || !areValid('OTEL_EXPORTER_OTLP_LOGS_ENDPOINT')) {
    return skip('receipts', 'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT')
  }
  if (control.logExport === null) return { results: [] }
  const url = new URL(control.logExport.url)
  const headers = env.OTEL_EXPORTER_OTLP_LOGS_HEADERS || env.OTEL_EXPORTER_OTLP_HEADERS || ''
  return { results: [judgeCollector(receiptsCollector, url, await readCollector(url, headers, timeoutMs))] }
}

/** Whether this is a pod of Kubernetes without any of the variables that the upstreams file names: only gateways have them. */
const isControlPod = (env: Variables, named: readonly string[]): boolean =>
  Boolean(env.KUBERNETES_SERVICE_HOST) && named.every((name) => !env[name])
