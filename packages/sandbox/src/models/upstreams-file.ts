import { fileURLToPath } from 'node:url'

/** The upstreams file of gateways that use the embedded model server. */
export const upstreamsFile = fileURLToPath(new URL('../../upstreams.yaml', import.meta.url))
