import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Architecture, buildImages, createBuildah, hostArchitecture } from './build-images.ts'
import { smokeTest } from './smoke.ts'
import { findCrun } from './surroundings.ts'

const usage = `npm run images -- [options]

Builds the images tollgate-gateway and tollgate-control from the folder that npm run package made. It needs Debian's buildah, and no
daemon. The images are then in the storage of buildah, podman and skopeo. docs/operate/install-images.md

  --base IMAGE   the base image, best with its digest. Without it, the base is made here from Debian packages
  --arch ARCH    amd64 or arm64; default: that of this machine
  --smoke        runs the images with a read-only root as user 65532, sends requests, and stops them. Needs root, crun, redis-server and
                 PostgreSQL`

const { values } = parseArgs({
  options: {
    base: { type: 'string' },
    arch: { type: 'string', default: hostArchitecture },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false }
  }
})

async function main(): Promise<void> {
  if (values.help) return console.log(usage)
  if (values.arch !== 'amd64' && values.arch !== 'arm64') throw new Error('--arch must be amd64 or arm64')
  const arch: Architecture = values.arch
  const buildah = createBuildah(null)
  const images = await buildImages(buildah, { arch, base: values.base ?? null })
  for (const image of Object.values(images)) {
    const { bytes } = await buildah.inspect(image)
    console.log(`localhost/${image} ${arch} ${(bytes / 1e6).toFixed(1)} MB unpacked`)
  }
  if (!values.smoke) return
  if (arch !== hostArchitecture) throw new Error(`--smoke runs the images, and this machine is ${hostArchitecture}`)
  if ((await findCrun()) === null) throw new Error('--smoke needs root and crun. On Debian: apt install crun')
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-images-'))
  try {
    await smokeTest(buildah, images, directory, (text) => console.log(text))
    console.log('Both images serve, and stop cleanly.')
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

main().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
