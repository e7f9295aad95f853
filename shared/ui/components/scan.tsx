import { ScanQrCode } from 'lucide-preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { canScan, scanWith } from '../state/camera.ts'
import { ProblemLine } from './problem-line.tsx'
import { useModel } from './use-model.ts'
import './scan.css'

/** Reads a code by the camera, where the browser can: what it says comes as if it had been pasted. */
export function Scan({ onFound }: { readonly onFound: (text: string) => void }) {
  const { shell, strings } = useModel()
  const [isOn, setOn] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  // A popup closes as soon as the browser asks whether it may.
  if (!canScan() || shell.kind === 'popup') return null
  const t = strings.value.scan
  return (
    <div class="scan">
      <button
        type="button"
        class="button"
        aria-pressed={isOn}
        onClick={() => {
          setProblem(undefined)
          setOn(!isOn)
        }}
      >
        <ScanQrCode size={16} />
        {isOn ? t.stop : t.start}
      </button>
      {isOn && (
        <View
          onEnd={(text, error) => {
            setOn(false)
            setProblem(error)
            if (text !== undefined) onFound(text)
          }}
        />
      )}
      <ProblemLine problem={problem} />
    </div>
  )
}

type ViewProps = { readonly onEnd: (text: string | undefined, problem?: unknown) => void }

/** The camera is open for as long as this is on the screen. */
function View({ onEnd }: ViewProps) {
  const { announce, strings } = useModel()
  const t = strings.value.scan
  const video = useRef<HTMLVideoElement>(null)
  useEffect(() => {
    const stop = new AbortController()
    if (video.current === null) return
    scanWith(video.current, stop.signal).then(
      (text) => {
        if (stop.signal.aborted) return
        if (text !== undefined) announce(t.found)
        onEnd(text)
      },
      (error) => {
        if (!stop.signal.aborted) onEnd(undefined, error)
      },
    )
    return () => stop.abort()
  }, [])
  return (
    <>
      <p class="hint">{t.lead}</p>
      <video ref={video} class="scan-view" muted playsInline aria-label={t.view} />
    </>
  )
}
