import { Download } from 'lucide-react'
import { useEffect, useState } from 'react'
import { brand } from '../../brand/brand.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'

/** Shows new recovery codes once, to copy or download. */
export function RecoveryCodes({ codes, onDone }: { readonly codes: readonly string[]; readonly onDone: () => void }) {
  const text = `${codes.join('\n')}\n`
  return (
    <div className="space-y-4">
      <ul
        aria-label="Recovery codes"
        className="grid grid-cols-1 gap-x-6 gap-y-1.5 rounded-lg border border-line bg-sunken px-4 py-3 font-mono text-sm sm:grid-cols-2"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={text} what="the recovery codes" />
        <DownloadLink text={text} />
      </div>
      <DialogActions>
        <Button tone="primary" onClick={onDone}>
          I saved them
        </Button>
      </DialogActions>
    </div>
  )
}

function DownloadLink({ text }: { readonly text: string }) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [text])
  return (
    <a href={url} download={`${brand.name} recovery codes.txt`} className={buttonLook({ size: 'small' })}>
      <Download aria-hidden="true" className="size-4" />
      Download
    </a>
  )
}
