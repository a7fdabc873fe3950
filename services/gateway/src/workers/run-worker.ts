import { listen } from '@tollgate/service/http/listen.ts'
import type { Logger } from 'pino'
import type { GatewayConfig } from '../config.ts'
import { openGateway } from '../program/open-gateway.ts'
import type { FromWorker, ToWorker } from './messages.ts'

/**
 * Runs one of several gateways that share a port. It does what its parent says, and ignores signals. When the parent is
 * gone, it finishes its requests and ends.
 */
export async function runWorker(config: GatewayConfig, log: Logger): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  let isStopping = false
  let stop = async (): Promise<void> => process.exit()
  const end = (): void => {
    isStopping = true
    void stop()
  }
  process.on('disconnect', () => {
    if (!isStopping) end()
  })
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'stop') end()
  })
  // The parent may have gone while this process loaded its code, before anything listened for that.
  if (!process.connected) end()

  const opened = await openGateway(config, log, tell)
  const { gateway } = opened
  stop = () => opened.stop(true)
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'reload') void gateway.reloadUpstreams()
    else if (message.kind === 'breaker' || message.kind === 'pause') gateway.upstreams.follow(message)
    else if (message.kind === 'ask') void answer(message.id, message.metrics)
  })
  async function answer(id: number, withMetrics: boolean): Promise<void> {
    const metrics = withMetrics ? await gateway.metrics.registry.getMetricsAsJSON() : null
    const names = gateway.metrics.namesInForce()
    tell({ kind: 'state', id, state: { readiness: await gateway.readiness(), metrics, names } })
  }

  await gateway.start()
  const { GATEWAY_HOST: host, GATEWAY_PORT: port } = config
  await listen(gateway.app, { host, port, portVariable: 'GATEWAY_PORT', reusePort: true })
  gateway.checkUpstreams()
  tell({ kind: 'listening' })
}

/** The parent may be gone. */
function tell(message: FromWorker): void {
  process.send?.(message, undefined, undefined, () => {})
}
