import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startChild } from '@tollgate/sandbox/child/child.ts'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { stringify } from 'yaml'

const readyTimeoutMs = 30_000

/** What Prometheus reads from one kind of process. */
export interface ScrapeJob {
  name: string
  /** URLs of admin ports. */
  urls: readonly string[]
  intervalMs: number
}

/** A running Prometheus. */
export interface RunningPrometheus {
  /** The names of the alerts that fire now. */
  firing(): Promise<Set<string>>
  /** The values of a PromQL expression now, with their labels. */
  query(expr: string): Promise<Array<{ labels: Record<string, string>; value: number }>>
  stop(): Promise<void>
}

/** @param program Debian's `/usr/bin/prometheus` */
export async function startPrometheus(
  program: string,
  { rules, evaluationMs, jobs }: { rules: string; evaluationMs: number; jobs: readonly ScrapeJob[] }
): Promise<RunningPrometheus> {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-prometheus-'))
  const config = join(directory, 'prometheus.yaml')
  const rulesFile = join(directory, 'rules.yaml')
  writeFileSync(rulesFile, rules)
  writeFileSync(
    config,
    stringify({
      global: { evaluation_interval: `${evaluationMs}ms` },
      rule_files: [rulesFile],
      scrape_configs: jobs.map(({ name, urls, intervalMs }) => ({
        job_name: name,
        scrape_interval: `${intervalMs}ms`,
        scrape_timeout: `${intervalMs}ms`,
        static_configs: [{ targets: urls.map((url) => new URL(url).host) }]
      }))
    })
  )
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = await startChild({
    command: program,
    args: [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn'
    ],
    cwd: directory,
    stopSignal: 'SIGTERM',
    temporaryDirectory: directory
  })
  const stop = async () => {
    await child.stop()
    rmSync(directory, { recursive: true, force: true })
  }
  const deadline = performance.now() + readyTimeoutMs
  while (!(await isReady(url))) {
    if (!child.isRunning() || performance.now() > deadline) {
      await stop()
      throw new Error(`Prometheus did not start:\n${child.output()}`)
    }
    await delay(100)
  }

  return {
    async firing() {
      const { alerts } = await read<{ alerts: Alert[] }>(`${url}/api/v1/alerts`)
      return new Set(alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname))
    },
    async query(expr) {
      const { result } = await read<{ result: Sample[] }>(`${url}/api/v1/query?query=${encodeURIComponent(expr)}`)
      return result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }))
    },
    stop
  }
}

interface Alert {
  state: 'pending' | 'firing'
  labels: { alertname: string }
}
interface Sample {
  metric: Record<string, string>
  value: [at: number, value: string]
}

async function read<Data>(address: string): Promise<Data> {
  const answer = (await (await fetch(address)).json()) as { status: string; error?: string; data: Data }
  if (answer.status !== 'success') throw new Error(`Prometheus: ${answer.error}`)
  return answer.data
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/-/ready`).then(
    ({ ok }) => ok,
    () => false
  )
