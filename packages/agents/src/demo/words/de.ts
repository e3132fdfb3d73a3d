import type { DemoWords } from './demo-words.ts'

export const de: DemoWords = {
  tripWords: ['reise', 'ausflug', 'wochenende', 'urlaub'],
  fixWords: ['fehler', 'behebe', 'repariere'],
  heard: 'Ich habe gehört: {text}\n',
  again: 'Machen wir weiter, wo wir waren.\n',
  trip: {
    plan: ['Wünsche erfragen', 'Züge und Wetter nachsehen', 'Unterkünfte vergleichen', 'Die Reise buchen'],
    thought:
      'Zwei Personen, ein Wochenende, mit dem Zug. Weniger als vier Stunden je Strecke lassen von beiden Tagen das meiste übrig. Zuerst muss ich wissen, was für ein Ort es sein soll.',
    question: 'Wo möchten Sie das Wochenende verbringen?',
    sea: {
      label: 'Am Meer',
      place: 'Warnemünde',
      stay: 'Gasthaus am Leuchtturm',
      walk: 'am Strand entlang zum Leuchtturm',
    },
    hills: { label: 'In den Bergen', place: 'Wernigerode', stay: 'Haus am Wald', walk: 'hinauf zum Schloss' },
    city: {
      label: 'In einer Stadt',
      place: 'Prag',
      stay: 'Haus an der Brücke',
      walk: 'über die alte Brücke',
    },
    scout: 'Finde eine ruhige Unterkunft für eine Nacht in der Nähe des Bahnhofs.',
    compared: 'Von zwölf Unterkünften liegt **{stay}** dem Bahnhof am nächsten und passt ins Budget.\n',
    answer: `# Ein Wochenende in {place}

Der Zug braucht **{hours} Stunden** und fährt ohne Umstieg. Das Wetter meint es gut: 21° am Samstag, 19° und vielleicht etwas Regen am Sonntag.

## Mein Vorschlag

1. Den Zug um 07:46 Uhr nehmen und das Gepäck im *{stay}* lassen.
2. Ein Spaziergang {walk}.
3. Am Sonntag ausschlafen und vor der Rückfahrt noch essen gehen.

| Wann | Was | Preis |
| --- | --- | ---: |
| Samstag | Hinfahrt | 45 € |
| Samstag | Eine Nacht im {stay} | 96 € |
| Sonntag | Rückfahrt | 45 € |

Für den Kalender:

\`\`\`ics
BEGIN:VEVENT
DTSTART:20270515T074600
SUMMARY:Zug nach {place}
END:VEVENT
\`\`\`
`,
    confirm: 'Die Züge und {stay} für {price} € buchen?',
    consequence: 'Die Fahrkarten können nicht zurückgegeben werden.',
    booked: '## Gebucht\n\nDie Reise nach {place} ist gebucht. Die Nummer ist **DEMO-4711**. Gute Fahrt!\n',
    kept: 'Es ist nichts gebucht. Der Plan bleibt hier stehen, und der Preis gilt bis morgen.\n',
  },
  fix: {
    plan: ['Tests ausführen', 'Die Ursache finden', 'Den Code ändern', 'Tests noch einmal ausführen'],
    thought:
      'Der Test erwartet 19,99 und bekommt 20. Das sieht nach einem Runden auf ganze Einheiten statt auf Cent aus. Ich sehe mir die Funktion an, und wer sie aufruft.',
    found: `## Was nicht stimmt

\`total()\` rundet auf ganze Einheiten, der Test will Cent:

\`\`\`ts
return Math.round(lines.reduce((sum, { price, count }) => sum + price * count, 0))
\`\`\`

Es gibt zwei Wege, und bei langen Rechnungen unterscheiden sie sich um einen Cent.
`,
    question: 'Wo soll gerundet werden?',
    atEnd: 'Einmal, am Ende',
    perLine: 'In jeder Zeile',
    review: 'Sieh dir die Änderung in src/invoice.ts an und sag, ob sie unbedenklich ist.',
    reviewed: 'Die Änderung ist klein und betrifft eine Funktion. Niemand sonst ruft sie auf.\n',
    fixed: `# Behoben

So wird gerundet: *{where}*.

\`\`\`ts
{rounding}
\`\`\`

| Tests | Vorher | Nachher |
| --- | ---: | ---: |
| bestanden | 41 | 42 |
| fehlgeschlagen | 1 | 0 |

- Geändert wurde eine Zeile in \`src/invoice.ts\`.
- Ein Prüfer hat sie angesehen.
`,
    confirm: 'Die Korrektur auf den Hauptzweig übertragen?',
    consequence: 'Sie wird sofort ausgeliefert und kann nicht zurückgenommen werden.',
    pushed: 'Übertragen als `4f2c9e1`. Alle Tests bestehen.\n',
    kept: 'Es wurde nichts übertragen. Die Änderung liegt in Ihrem Arbeitsverzeichnis.\n',
  },
  long: {
    plan: 'Einen langen Bericht schreiben',
    title: 'Ein langer Bericht',
    section: 'Abschnitt',
    text: 'Dieser Text ist mit Absicht lang, damit man sieht, wie sich ein Strom verhält, der nicht aufhört. Schließen Sie das Fenster, kommen Sie später wieder, und lesen Sie bei genau dem Wort weiter, bei dem Sie waren.',
  },
}
