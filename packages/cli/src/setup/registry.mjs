// @ts-check

const timeoutMs = 5000
/** Codes that say: no way to the server. Others, such as a bad certificate, are for npm to explain. */
const away = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT'
])

/**
 * Whether npm's registry can be reached. A proxy may reach what this process does not, so with one the answer is always yes.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ registry: string, code: string } | null>} null if it can; otherwise the registry and the error's code
 */
export async function findUnreachableRegistry(env) {
  const hasProxy = [
    'HTTPS_PROXY',
    'https_proxy',
    'HTTP_PROXY',
    'http_proxy',
    'npm_config_proxy',
    'npm_config_https_proxy'
  ].some((name) => env[name])
  // `npm start` passes npm's settings on to its scripts.
  const registry = env.npm_config_registry || 'https://registry.npmjs.org/'
  if (hasProxy) return null
  try {
    await fetch(registry, { method: 'HEAD', signal: AbortSignal.timeout(timeoutMs) })
    return null
  } catch (error) {
    const { name, cause } = /** @type {{ name: string, cause?: { code?: string, errors?: { code?: string }[] } }} */ (
      error
    )
    const code = name === 'TimeoutError' ? 'ETIMEDOUT' : (cause?.code ?? cause?.errors?.[0]?.code ?? '')
    return away.has(code) ? { registry, code } : null
  }
}
