import { type RunningIdentity, startIdentity } from '@tollgate/sandbox/identity/start-identity.ts'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { createAdminServer } from '@tollgate/service/http/admin-server.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import { contentOf } from '../catalog/publish-catalog.ts'
import { composeControl } from '../compose.ts'
import { type Database, openDatabase } from '../database/connect.ts'
import { createLog } from '../http/log.ts'
import { createControlReadiness } from '../http/readiness.ts'
import { createControlMetrics } from '../metrics/control-metrics.ts'
import { createCall } from './call-control.ts'
import { checkAgainstDocument } from './check-against-document.ts'
import {
  anonKey,
  captchaSecret,
  configOf,
  longTimeoutMs,
  repositoryCatalog,
  type StartControlOptions,
  serviceRoleKey,
  timesOf
} from './control-options.ts'
import { openMigratedDatabase } from './databases.ts'
import { movedTime } from './moved-time.ts'
import { createUsers, type RunningControl } from './running-control.ts'

/** Starts control on a free port of 127.0.0.1, with everything that it needs. */
export async function startControl(options: StartControlOptions = {}): Promise<RunningControl> {
  const publicUrl = options.publicUrl ?? 'http://localhost:3000'
  const ownRedis = options.redisUrl === undefined ? await leaseRedis() : null
  let url = ''
  const identity = await startProvider(options, publicUrl, () => url)
  const catalog = options.catalog ?? readShippedCatalog()
  const logged: string[] = []
  const log = createLog('trace', { write: (line) => void logged.push(line) })
  const database = await openStore(options)
  const redis = connectServer(options.redisUrl ?? ownRedis!.url, {
    name: 'control-test',
    silenceTimeoutMs: options.redisSilenceTimeoutMs ?? longTimeoutMs,
    onError: (err) => log.debug({ err }, 'redis')
  })
  await redis.ready()
  const metrics = createControlMetrics()
  let movedMs = 0
  const clock = () => new Date(Date.now() + movedMs)
  const sharedTime = movedTime(() => movedMs)
  const composed = composeControl({
    config: configOf(options, publicUrl, identity),
    log,
    database,
    redis,
    tracing: options.tracing ?? null,
    metrics,
    clock,
    sharedTime,
    ...timesOf(options)
  })
  const { app, projector, catalogFile } = composed
  if (options.catalogFile === undefined) {
    await composed.catalogPublisher.publish(contentOf(catalog, ''), { mode: 'apply', operator: null })
  } else {
    await catalogFile.open()
    catalogFile.start()
  }
  if (options.isProjecting === true) {
    composed.catalog.start()
    projector.start()
  }
  const document = checkAgainstDocument(app)
  url = await app.listen({ host: '127.0.0.1', port: 0 })
  const readReadiness = createControlReadiness()
  const readiness = () => readReadiness({ database, redis, health: composed.health }, false)
  const admin = createAdminServer({ registry: metrics.registry, readiness })
  const adminUrl = await admin.listen({ host: '127.0.0.1', port: 0 })

  const call = createCall(app)
  return {
    url,
    adminUrl,
    ...composed,
    database,
    redis,
    catalog,
    identity,
    document,
    logged,
    passTime(ms) {
      movedMs += ms
    },
    now: clock,
    sharedTime,
    call,
    ...createUsers(call, identity),
    async close() {
      await identity.reported()
      await admin.close()
      await composed[Symbol.asyncDispose]()
      await redis.close()
      await Promise.all([database.close(), identity.close(), ownRedis?.giveBack()])
      const [violation] = document.violations
      if (violation !== undefined)
        throw new Error(`the OpenAPI document (see the schema of the route) is wrong: ${violation}`)
    }
  }
}

let shippedCatalog: ReturnType<typeof loadCatalogFile> | null = null
/** Reads it once: that takes 0.1 s. */
function readShippedCatalog(): ReturnType<typeof loadCatalogFile> {
  shippedCatalog ??= loadCatalogFile(repositoryCatalog)
  return shippedCatalog
}

function openStore({ databaseUrl, isMigrated = false, poolSize }: StartControlOptions): Promise<Database> {
  return isMigrated && databaseUrl !== undefined
    ? openDatabase(databaseUrl, { ...(poolSize !== undefined && { poolSize }) })
    : openMigratedDatabase(databaseUrl, poolSize)
}

/** @param urlOf control's address, once it is known */
function startProvider(options: StartControlOptions, publicUrl: string, urlOf: () => string): Promise<RunningIdentity> {
  const secret = options.identityWebhookSecret ?? null
  return startIdentity({
    port: 0,
    mailboxPort: 0,
    siteUrl: publicUrl,
    anonKey,
    serviceRoleKey,
    passwordCost: options.passwordCost ?? lowPasswordCost,
    ...(options.minimumPasswordLength !== undefined && { minimumPasswordLength: options.minimumPasswordLength }),
    ...(options.identityNow !== undefined && { now: options.identityNow }),
    providers: options.providers ?? [],
    captchaSecret: options.captcha === undefined ? null : captchaSecret,
    userWebhook: secret === null ? null : { url: () => `${urlOf()}/api/auth/webhook`, secret }
  })
}

const lowPasswordCost = 256
