import type { Words } from './en.ts'

export const de: Words = {
  heard: 'Ich habe gehört: {text}\n',
  again: 'Machen wir weiter, wo wir waren.\n',
  trip: {
    plan: ['Wünsche erfragen', 'Züge und Wetter nachsehen', 'Unterkünfte vergleichen', 'Die Reise buchen'],
    thought:
      'Zwei Personen, ein Wochenende, mit dem Zug. Weniger als vier Stunden je Strecke lassen von beiden Tagen das meiste übrig. Zuerst muss ich wissen, was für ein Ort es sein soll.',
    found: '',
    question: 'Wo möchten Sie das Wochenende verbringen?',
    task: 'Finde eine ruhige Unterkunft für eine Nacht in der Nähe des Bahnhofs.',
    report: 'Von zwölf Unterkünften liegt **{stay}** dem Bahnhof am nächsten und passt ins Budget.\n',
    answer: `# Ein Wochenende in {place}

Der Zug braucht **{hours} Stunden** und fährt ohne Umstieg. Das Wetter meint es gut: 21° am Samstag, 19° und vielleicht etwas Regen am Sonntag.

1. Den Zug um 07:46 Uhr nehmen und das Gepäck im *{stay}* lassen.
2. Ein Spaziergang {walk}.
3. Am Sonntag ausschlafen und vor der Rückfahrt noch essen gehen.

| Wann | Was | Preis |
| --- | --- | ---: |
| Samstag | Hinfahrt | 45 € |
| Samstag | Eine Nacht im {stay} | 96 € |
| Sonntag | Rückfahrt | 45 € |

\`\`\`ics
DTSTART:20270515T074600
SUMMARY:Zug nach {place}
\`\`\`
`,
    confirm: 'Die Züge und {stay} für {price} € buchen?',
    consequence: 'Die Fahrkarten können nicht zurückgegeben werden.',
    done: '## Gebucht\n\nDie Reise nach {place} ist gebucht. Die Nummer ist **DEMO-4711**. Gute Fahrt!\n',
    kept: 'Es ist nichts gebucht. Der Plan bleibt hier stehen, und der Preis gilt bis morgen.\n',
  },
  fix: {
    plan: ['Tests ausführen', 'Den Code ändern', 'Die Änderung prüfen lassen', 'Die Korrektur übertragen'],
    thought:
      'Der Test erwartet 19,99 und bekommt 20. Das sieht nach einem Runden auf ganze Einheiten statt auf Cent aus. Ich sehe mir die Funktion an, und wer sie aufruft.',
    found: `## Was nicht stimmt

\`total()\` rundet auf ganze Einheiten, der Test will Cent. Es gibt zwei Wege, und bei langen Rechnungen unterscheiden sie sich um einen Cent.
`,
    question: 'Wo soll gerundet werden?',
    task: 'Sieh dir die Änderung in src/invoice.ts an und sag, ob sie unbedenklich ist.',
    report: 'Die Änderung ist klein und betrifft eine Funktion. Niemand sonst ruft sie auf.\n',
    answer: `# Behoben

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
    done: 'Übertragen als `4f2c9e1`. Alle Tests bestehen.\n',
    kept: 'Es wurde nichts übertragen. Die Änderung liegt in Ihrem Arbeitsverzeichnis.\n',
  },
  places: {
    sea: { label: 'Am Meer', place: 'Warnemünde', stay: 'Gasthaus am Leuchtturm', walk: 'am Strand entlang' },
    hills: { label: 'In den Bergen', place: 'Wernigerode', stay: 'Haus am Wald', walk: 'zum Schloss' },
    city: { label: 'In einer Stadt', place: 'Prag', stay: 'Haus an der Brücke', walk: 'über die Brücke' },
  },
  roundings: { end: 'Einmal, am Ende', line: 'In jeder Zeile' },
  long: {
    plan: 'Einen langen Bericht schreiben',
    title: 'Ein langer Bericht',
    section: 'Abschnitt',
    text: 'Dieser Text ist mit Absicht lang, damit man sieht, wie sich ein Strom verhält, der nicht aufhört. Schließen Sie das Fenster, kommen Sie später wieder, und lesen Sie bei genau dem Wort weiter, bei dem Sie waren.',
  },
}
