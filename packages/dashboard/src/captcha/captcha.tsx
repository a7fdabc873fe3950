import { useEffect, useRef, useState } from 'react'
import { storedTheme } from '../theme/theme.ts'
import { readCaptchaMessage } from './message.ts'

interface CaptchaProps {
  /** Gets the answer, which works once; empty when it has expired. It must be the same function in every render. */
  readonly onToken: (token: string) => void
}

/** The CAPTCHA of the operator, in a frame: no script of its provider runs in this page. A new `key` starts it again. */
export function Captcha({ onToken }: CaptchaProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(80)
  const [address] = useState(() => `/captcha#${storedTheme()}`)
  useEffect(() => {
    const receive = ({ source, origin, data }: MessageEvent) => {
      if (source !== frame.current?.contentWindow || origin !== window.location.origin) return
      const message = readCaptchaMessage(data)
      if (message === null) return
      if ('token' in message) onToken(message.token)
      else setHeight(message.height)
    }
    window.addEventListener('message', receive)
    return () => window.removeEventListener('message', receive)
  }, [onToken])
  return <iframe ref={frame} title="CAPTCHA" src={address} height={height} className="block w-full" />
}
