import type { CaptchaMessage } from './message.ts'

/**
 * The page that forms frame: shows the CAPTCHA of the operator, whose script is its provider's, and tells the form
 * around it what the person did. The fragment of the address is the theme.
 */

/** What both providers' scripts offer. */
interface Captcha {
  render(place: HTMLElement, options: Record<string, unknown>): unknown
}

declare global {
  interface Window {
    hcaptcha?: Captcha
    turnstile?: Captcha
    showCaptcha?: () => void
  }
}

/** Each script calls `showCaptcha` once it is ready. */
const scripts = {
  hcaptcha: 'https://js.hcaptcha.com/1/api.js?render=explicit&recaptchacompat=off&onload=showCaptcha',
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit&onload=showCaptcha'
}

/** CSS pixels. A compact CAPTCHA is for places narrower than a normal one. */
const normalWidth = 304
const compactHeight = 144
/** hCaptcha opens its pictures over the page, as large as the page is. */
const openHeight = 600

const place = document.getElementById('captcha')
const content = document.querySelector<HTMLMetaElement>('meta[name="captcha"]')?.content
if (place === null || content === undefined) throw new Error('the page has no place for the CAPTCHA')
const { provider, siteKey } = JSON.parse(content) as { provider: keyof typeof scripts; siteKey: string }

const tell = (message: CaptchaMessage): void => window.parent.postMessage(message, window.location.origin)

const chosen = window.location.hash.slice(1)
const system = window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
const theme = chosen === 'dark' || chosen === 'light' ? chosen : system
document.documentElement.style.colorScheme = theme
document.body.style.margin = '0'
document.body.style.fontFamily = 'system-ui, sans-serif'

const isNarrow = window.innerWidth < normalWidth
const closedHeight = isNarrow ? compactHeight : { hcaptcha: 78, turnstile: 65 }[provider]
const close = () => tell({ height: closedHeight })

window.showCaptcha = () => {
  close()
  window[provider]?.render(place, {
    sitekey: siteKey,
    theme,
    size: isNarrow ? 'compact' : 'normal',
    callback(token: string) {
      close()
      tell({ token })
    },
    'expired-callback': () => tell({ token: '' }),
    'error-callback': () => tell({ token: '' }),
    // Only hCaptcha has these.
    ...(provider === 'hcaptcha' && {
      'open-callback': () => tell({ height: openHeight }),
      'close-callback': close,
      'chalexpired-callback': close
    })
  })
}

const script = document.createElement('script')
script.src = scripts[provider]
script.async = true
script.onerror = () => {
  place.textContent = 'The CAPTCHA could not be loaded. Allow its provider in your browser, then reload the page.'
}
document.head.append(script)
