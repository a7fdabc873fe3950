import { connectRedis } from '@tollgate/contracts/redis/redis-link.ts'
import pino from 'pino'
import { buildAdmin } from './admin.ts'
import { buildApp } from './app.ts'
import { followCatalog } from './catalog/live-catalog.ts'
import { loadGatewayConfig } from './config.ts'
import { openUpstreams } from './upstreams/upstreams.ts'

async function main(): Promise<void> {
  const config = loadGatewayConfig(process.env)
  const upstreams = openUpstreams(config.UPSTREAMS_FILE, process.env)
  const log = pino({ level: config.LOG_LEVEL, name: 'gateway' })
  const redis = connectRedis(config.REDIS_URL, {
    name: 'tollgate-gateway',
    silenceLimitMs: config.REDIS_TIMEOUT_MS,
    onError: (err) => log.warn({ err }, 'redis')
  })
  const catalog = followCatalog(redis, (err) => log.warn({ err }, 'catalog'))
  let stopping = false
  const app = buildApp({ redis, catalog, upstreams, log })
  const admin = buildAdmin(redis, catalog, () => stopping)

  function cutOff(): void {
    app.server.closeAllConnections()
    for (const { pool } of upstreams.values()) void pool.destroy()
  }

  async function stop(): Promise<void> {
    if (stopping) {
      log.warn('told again to stop: what is under way is cut off')
      cutOff()
      return
    }
    stopping = true
    log.info('stopping: requests that are under way are finished')
    // A connection that has become idle meanwhile would otherwise hold the process until its client leaves.
    const idle = setInterval(() => app.server.closeIdleConnections(), 100)
    const limit = setTimeout(cutOff, config.GATEWAY_DRAIN_MS)
    await app.close()
    clearInterval(idle)
    clearTimeout(limit)
    await Promise.all([catalog.stop(), ...[...upstreams.values()].map(({ pool }) => pool.close())])
    await Promise.all([redis.close(), admin.close()])
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)

  await catalog.start()
  await listen(admin, config.GATEWAY_ADMIN_HOST, config.GATEWAY_ADMIN_PORT, 'GATEWAY_ADMIN_PORT')
  await listen(app, config.GATEWAY_HOST, config.GATEWAY_PORT, 'GATEWAY_PORT')
  log.info({ port: config.GATEWAY_PORT, adminPort: config.GATEWAY_ADMIN_PORT }, 'listening')
}

async function listen(
  server: { listen(options: { host: string; port: number }): Promise<string> },
  host: string,
  port: number,
  variable: string
): Promise<void> {
  try {
    await server.listen({ host, port })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw cause
    throw new Error(`Port ${port} (${variable}) is taken.`, { cause })
  }
}

process.on('unhandledRejection', (error) => {
  throw error
})

main().catch((error: unknown) => {
  process.stderr.write(`gateway: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
