"""Names that columns of texts and of labels usually have, in several languages."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 24


def plain(column: str) -> str:
    """The name of a column without case, accents, signs, and the record that it is in."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKD", column.rpartition(".")[2].lower()))


def known_name(column: str) -> bool:
    """Whether columns of tables of texts are often called so."""
    name = plain(column)
    return name in KNOWN or (name.endswith("label") and len(name) < LONGEST)


def _names(written: str) -> list[str]:
    return [plain(name) for name in written.split()]


# The likeliest first. In other languages a column is called so only if its values say the same: a note may be a text.
TEXT_NAMES = _names("""
    text sentence sentence1 texta review content document body message tweet comment question query premise utterance
    post reviewtext reviewbody commenttext fulltext selftext description tokens words source anchor prompt headline
    title texte texto testo tekst teksti metin текст 文本 内容 テキスト 텍스트 نص النص kommentar commentaire comentario
    comentário commento opmerking komentarz yorum комментарий 评论 コメント rezension reseña resenha recensione
    recensie recenzja отзыв レビュー 리뷰 avis satz phrase frase zin zdanie предложение 句子 문장 nachricht mensaje
    messaggio mensagem bericht сообщение beschreibung descripción descrizione descrição beschrijving opis описание
""")
LABEL_NAMES = _names("""
    label labels goldlabel class category sentiment target gold score rating relevant stars polarity isduplicate
    relatednessscore similarityscore similarity nertags tags postags spans entities ner choices emotion emotions intent
    toxic airlinesentiment
""")
LABEL_NAMES_ABROAD = _names("""
    etikett étiquette etiqueta etichetta rótulo etiket etykieta štítek метка 标签 ラベル 라벨 레이블 klasse classe clase
    klasa klass třída luokka класс クラス 类别 분류 bewertung note calificación puntuación valoración valutazione voto
    nota avaliação beoordeling ocena hodnocení betyg puan оценка 评分 評価 평점 stimmung sentimiento sentimento
    sentyment duygu тональность 情感 kategorie catégorie categoría categoria categorie kategoria kategori категория
    sterne étoiles estrellas stelle estrelas sterren
""")
ANSWER_NAMES = ["answers", "answer"]  # to a question
OTHER_NAMES = _names("id idx index name date user author url lang language split topic")
PAIRS = (
    *(("sentence1", "sentence2"), ("sentencea", "sentenceb"), ("texta", "textb"), ("text", "textb")),
    *(("text1", "text2"), ("question1", "question2"), ("premise", "hypothesis"), ("question", "context")),
    *(("question", "passage"), ("query", "passage"), ("query", "document"), ("query", "text"), ("query", "positive")),
    *(("anchor", "positive"), ("claim", "evidence"), ("question", "sentence"), ("question", "answer")),
)
KNOWN = {*TEXT_NAMES, *LABEL_NAMES, *LABEL_NAMES_ABROAD, *ANSWER_NAMES, *OTHER_NAMES, *sum(PAIRS, ())} - {"positive"}
