import { listen } from '@tollgate/service/http/listen.ts'
import type { Logger } from 'pino'
import type { GatewayConfig } from '../config.ts'
import { openGateway } from './open-gateway.ts'

/** Runs the gateway in this process. Resolves when it listens. */
export async function runAlone(config: GatewayConfig, log: Logger): Promise<void> {
  const { gateway, stop } = await openGateway(config, log)
  process.on('SIGTERM', () => void stop())
  process.on('SIGINT', () => void stop())
  process.on('SIGHUP', () => void gateway.reloadUpstreams())
  await gateway.start()
  const {
    GATEWAY_ADMIN_HOST: adminHost,
    GATEWAY_ADMIN_PORT: adminPort,
    GATEWAY_HOST: host,
    GATEWAY_PORT: port
  } = config
  await listen(gateway.admin, { host: adminHost, port: adminPort, portVariable: 'GATEWAY_ADMIN_PORT' })
  await listen(gateway.app, { host, port, portVariable: 'GATEWAY_PORT' })
  gateway.checkUpstreams()
  log.info({ port, adminPort }, 'listening')
}
