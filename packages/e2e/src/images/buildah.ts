import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'

const run = promisify(execFile)

/** What an image says about the process of its containers. */
export interface ImageConfig {
  readonly Env: readonly string[]
  readonly User: string
  readonly WorkingDir: string
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly StopSignal: string
  readonly ExposedPorts: Readonly<Record<string, object>>
  readonly Labels: Readonly<Record<string, string>>
  /** Absent in images of the OCI format, which has no place for it. */
  readonly Healthcheck?: { readonly Test: readonly string[] }
}

export interface BuildOptions {
  /** The name of the image, such as `tollgate-gateway:0.4.0`. */
  readonly name: string
  readonly containerfile: string
  /** The folder from which the Containerfile copies. */
  readonly context: string
  readonly arch: Architecture
  readonly args: Readonly<Record<string, string>>
  /** The time of all files in the image, in Unix seconds, so that equal files make equal layers. */
  readonly timestampS: number
}

export type Architecture = 'amd64' | 'arm64'

/** Debian's buildah, which builds images without a daemon and, by chroot, without rights that containers lack. */
export interface Buildah {
  build(options: BuildOptions): Promise<void>
  inspect(image: string): Promise<{ config: ImageConfig; architecture: string; bytes: number }>
  /** Unpacks an image. @returns the folder with its files; `remove` removes it */
  mount(image: string): Promise<{ root: string; remove(): Promise<void> }>
}

/**
 * @param storage the folder for images; null for the storage of this machine, where buildah, podman and skopeo find them
 * @throws Error if buildah is not installed
 */
export function createBuildah(storage: string | null): Buildah {
  const program = findProgram(['buildah'])
  if (program === null) throw new Error('buildah is not installed. On Debian: apt install buildah')
  const place =
    storage === null
      ? []
      : ['--root', join(storage, 'root'), '--runroot', join(storage, 'run'), '--storage-driver', 'vfs']
  const buildah = async (...args: string[]): Promise<string> => {
    const { stdout } = await run(program, [...place, ...args], { cwd: workspaceFile(''), maxBuffer: 2 ** 24 })
    return stdout.trim()
  }
  return {
    async build({ name, containerfile, context, arch, args, timestampS }) {
      // The format of Docker keeps HEALTHCHECK. Every registry and runtime takes it.
      const options = ['--quiet', '--isolation', 'chroot', '--format', 'docker', '--timestamp', String(timestampS)]
      const values = Object.entries(args).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`])
      await buildah('bud', ...options, '--arch', arch, ...values, '--tag', name, '--file', containerfile, context)
    },
    async inspect(image) {
      const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', image)) as {
        Docker: { config: ImageConfig; architecture: string }
      }
      const container = await buildah('from', '--pull-never', image)
      try {
        const root = await buildah('mount', container)
        const { stdout } = await run('du', ['--summarize', '--apparent-size', '--bytes', root])
        return { config: Docker.config, architecture: Docker.architecture, bytes: Number.parseInt(stdout, 10) }
      } finally {
        await buildah('rm', container)
      }
    },
    async mount(image) {
      const container = await buildah('from', '--pull-never', image)
      const root = await buildah('mount', container)
      return { root, remove: async () => void (await buildah('rm', container)) }
    }
  }
}
