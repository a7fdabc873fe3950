import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { version, workspaceFile } from '@tollgate/service/workspace.ts'

const run = promisify(execFile)

export const hostArchitecture: Architecture = process.arch === 'arm64' ? 'arm64' : 'amd64'

export interface ImagesOptions {
  readonly arch: Architecture
  /** The base image; null to make one from Debian packages and Node's npm package. */
  readonly base: string | null
  /** The folder with `dist` of `npm run package` and with `deploy`; the root of the workspace by default. */
  readonly context?: string
}

/** The names of the images of a release. */
export interface Images {
  readonly gateway: string
  readonly control: string
}

/**
 * Builds both images from the folders of `npm run package`, with the version and commit of this clone in their labels.
 */
export async function buildImages(buildah: Buildah, options: ImagesOptions): Promise<Images> {
  const { arch, base, context = workspaceFile('') } = options
  for (const service of ['gateway', 'control']) {
    if (!existsSync(join(context, 'dist', service, 'main.js'))) {
      throw new Error(`dist/${service} is missing. Run: npm run package`)
    }
  }
  const { revision, timestampS } = await readCommit()
  const common = { arch, timestampS }
  const baseName = base ?? (await buildBase(buildah, common))
  const build = async (service: string): Promise<string> => {
    const name = `tollgate-${service}:${version}${arch === hostArchitecture ? '' : `-${arch}`}`
    await buildah.build({
      ...common,
      name,
      containerfile: workspaceFile(`deploy/images/${service}.Containerfile`),
      context,
      args: { BASE: baseName, VERSION: version, REVISION: revision }
    })
    return name
  }
  return { gateway: await build('gateway'), control: await build('control') }
}

async function buildBase(buildah: Buildah, common: { arch: Architecture; timestampS: number }): Promise<string> {
  const name = `localhost/tollgate-base:node24-${common.arch}`
  await buildah.build({
    ...common,
    name,
    containerfile: workspaceFile('deploy/images/base.Containerfile'),
    context: await baseTree(common.arch),
    args: {}
  })
  return name
}

/**
 * The files of a base image, made once a day for a version of Node.js: Debian's packages get security fixes.
 *
 * @returns their folder, which other processes may use at the same time
 */
async function baseTree(arch: Architecture): Promise<string> {
  const script = workspaceFile('deploy/images/make-base')
  const day = new Date().toISOString().slice(0, 10)
  const key = createHash('sha256').update(readFileSync(script)).update(process.version).digest('hex').slice(0, 12)
  const name = `${arch}-${key}-${day}`
  const cache = workspaceFile('node_modules/.cache/tollgate-base-images')
  const tree = join(cache, name)
  if (existsSync(tree)) return tree
  mkdirSync(cache, { recursive: true })
  const work = `${tree}.${process.pid}`
  try {
    const node = await fetchNode(arch, work)
    await run(script, ['--arch', arch, '--node', node, join(work, 'tree')])
    for (const other of readdirSync(cache)) {
      if (other.startsWith(`${arch}-`) && !other.startsWith(name)) rmSync(join(cache, other), { recursive: true })
    }
    renameSync(join(work, 'tree'), tree)
  } catch (error) {
    if (!existsSync(tree)) throw error
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  return tree
}

/** The version of Node that the workspace uses, from the npm registry, with its licence. */
async function fetchNode(arch: Architecture, work: string): Promise<string> {
  mkdirSync(work, { recursive: true })
  const name = `node-linux-${arch === 'amd64' ? 'x64' : 'arm64'}@${process.version.slice(1)}`
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', work, name])
  await run('tar', ['-x', '-z', '-C', work, '-f', join(work, stdout.trim())])
  return join(work, 'package/bin/node')
}

async function readCommit(): Promise<{ revision: string; timestampS: number }> {
  try {
    const { stdout } = await run('git', ['log', '-1', '--format=%H %ct'], { cwd: workspaceFile('') })
    const [revision = '', seconds = ''] = stdout.trim().split(' ')
    return { revision, timestampS: Number(seconds) }
  } catch {
    // A copy of the files without their history.
    return { revision: 'unknown', timestampS: 0 }
  }
}

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

interface BuildOptions {
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
 * @param storage the folder for images; null for the storage of this machine, where buildah, podman and skopeo find
 *   them
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
