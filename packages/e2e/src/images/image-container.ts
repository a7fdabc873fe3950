import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Child, startChild } from '@tollgate/sandbox/child/child.ts'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import type { ImageConfig } from './buildah.ts'

export interface ContainerOptions {
  /** The name of the container; unique among those that run. */
  readonly name: string
  /** The files of the image. */
  readonly root: string
  readonly config: ImageConfig
  /** Replaces the arguments of the image: `CMD`. */
  readonly args?: readonly string[]
  /** Environment variables, in addition to those of the image. */
  readonly variables: Readonly<Record<string, string>>
  /** A folder for the container's settings. */
  readonly directory: string
}

/** A container that runs under the rules of a strict cluster. */
export interface Container extends Child {
  /**
   * Runs a program in the container.
   *
   * @param more environment variables, in addition to those of the container
   * @returns its exit status and its output
   */
  exec(args: readonly string[], more?: Readonly<Record<string, string>>): Promise<{ status: number; output: string }>
}

/** crun needs cgroup v2, which a machine with the older form gets in this process's own view of the files. */
const inOwnMounts = ['--mount', 'sh', '-c', 'mount -t cgroup2 cgroup2 /sys/fs/cgroup && exec "$@"', 'sh']
const stopTimeoutMs = 30_000
const run = promisify(execFile)

/** Whether this machine can run containers: crun is installed, and this process may make namespaces and mount. */
export async function findCrun(): Promise<string | null> {
  const crun = findProgram(['crun'])
  if (crun === null) return null
  return run('unshare', [...inOwnMounts, crun, '--version']).then(
    () => crun,
    () => null
  )
}

/**
 * Starts the image's process: as its user, with its variables, with a read-only root and nothing writable besides, without any
 * capability, and without a way to get one. It uses the network of this machine.
 */
export async function startContainer(options: ContainerOptions): Promise<Container> {
  const { name, config, variables, directory } = options
  const crun = (await findCrun())!
  const bundle = join(directory, name)
  mkdirSync(bundle, { recursive: true })
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(bundleConfig(options), null, 2))
  const crunArgs = [crun, '--root', join(directory, 'crun'), '--cgroup-manager', 'disabled']
  const child = await startChild({
    command: 'unshare',
    args: [...inOwnMounts, ...crunArgs, 'run', '--bundle', bundle, name],
    cwd: directory,
    stopSignal: config.StopSignal as 'SIGTERM',
    stopTimeoutMs,
    temporaryDirectory: null
  })
  return {
    ...child,
    async exec(args, more = {}) {
      const env = environment(config, { ...variables, ...more }).flatMap((variable) => ['--env', variable])
      const inside = ['exec', '--cwd', config.WorkingDir, '--user', config.User, ...env, name, ...args]
      try {
        const { stdout, stderr } = await run('unshare', [...inOwnMounts, ...crunArgs, ...inside])
        return { status: 0, output: stdout + stderr }
      } catch (error) {
        const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
        return { status: code, output: stdout + stderr }
      }
    }
  }
}

const environment = (config: ImageConfig, variables: Readonly<Record<string, string>>): string[] => [
  ...config.Env,
  ...Object.entries(variables).map(([name, value]) => `${name}=${value}`)
]

/** The settings of a container, as the OCI runtime specification 1.0 has them. */
function bundleConfig({ root, config, args = config.Cmd, variables }: ContainerOptions): object {
  const [uid, gid] = config.User.split(':').map(Number)
  const none = { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] }
  return {
    ociVersion: '1.0.0',
    process: {
      terminal: false,
      user: { uid, gid },
      args: [...config.Entrypoint, ...args],
      env: environment(config, variables),
      cwd: config.WorkingDir,
      capabilities: none,
      noNewPrivileges: true
    },
    root: { path: root, readonly: true },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755', 'size=65536k'] },
      { destination: '/dev/shm', type: 'tmpfs', source: 'shm', options: ['nosuid', 'noexec', 'nodev', 'ro'] }
    ],
    linux: {
      namespaces: [{ type: 'pid' }, { type: 'ipc' }, { type: 'uts' }, { type: 'mount' }],
      maskedPaths: ['/proc/kcore', '/proc/keys', '/proc/sched_debug'],
      readonlyPaths: ['/proc/sys', '/proc/sysrq-trigger']
    }
  }
}
