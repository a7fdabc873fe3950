import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { useNews } from './news.tsx'

const shownMs = 2000

/** Copies a text, and says that it did. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const tell = useNews()
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), shownMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () => {
    // Absent where the page is not served securely.
    const copying = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'))
    copying.then(
      () => setCopied(true),
      () => tell('The browser did not allow copying: select the text instead.', 'failed')
    )
  }
  const Icon = isCopied ? Check : Copy
  return (
    <>
      <Button size="small" onClick={copy} aria-label={`Copy ${what}`}>
        <Icon aria-hidden="true" className="size-3.5" />
        {isCopied ? 'Copied' : 'Copy'}
      </Button>
      <span role="status" className="sr-only">
        {isCopied && `Copied ${what}.`}
      </span>
    </>
  )
}
