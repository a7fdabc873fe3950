import type { Plugin } from 'rolldown'

/**
 * Leaves the code of libraries out of source maps. Node parses all maps when it loads the code: those of libraries would cost a
 * gateway 20 MB of memory. Their code is bundled as it is, so its names are in the traces anyway.
 */
export function ownMaps(): Plugin {
  return {
    name: 'own-maps',
    transform: (code, id) => (id.includes('/node_modules/') ? { code, map: { mappings: '' } } : null)
  }
}
